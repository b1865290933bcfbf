package judge

// Places that decide by absence: a fact that is absent is not harmless. Each line names the fact, the function that
// misses it, what follows without it, and the test in package pool. A name of a rule or an open fact is the question
// that makes the verdict indeterminate. TestLessIsNeverBetter takes the facts away from all changes of the tests.
//
//   - the CloudProfile: facts.fillVersion, facts.fillImage: DefaultVersion, DefaultImage (TestVerdictsByFunction)
//   - the CloudProfile: Options.imageInPlace: NoCloudProfile (TestInPlaceImages)
//   - useGKEFormula: facts.fillReservations: ReservationMode, FormulaByLabel (TestVerdictsByFunction)
//   - the machine type in the CloudProfile: facts.fillReservations: GKEReservation (TestVerdictsByFunction)
//   - how the manifest is applied: facts.mayBeKept: KeptReservation (TestReservationsOfALabel)
//   - the old version of a Shoot: facts.fillVersion: StoredVersion (TestVerdictsByFunction)
//   - the version of a Worker's pool: facts.fillVersion: ClusterVersion (TestOmittedAgainstExplicit)
//   - the old image of a pool: facts.fillImage, pair.imageIsOpen: StoredImage (TestOmittedImages)
//   - node-local DNS of the old Shoot: facts.fillNodeLocalDNS: DNSByDefault (TestPairs)
//   - the version, for node-local DNS: pair.nodeLocalDNS: NodeLocalDNSByVersion (TestVerdictsByFunction)
//   - the minor of a pool: Naming.versionsOf: every era is judged (TestUnknownMinors)
//   - the extension of a provider: pair.judgeKnownFields: EraUnknown, PoolUnknown (TestProviderConfigsWithoutSchema)
//   - the extension, for volumes: pair.ofExtension: EraUnknown (TestDataVolumesOfEachProvider)
//   - the Schema of a config: Options.schemaOf: every member counts as immutable (TestProviderConfigsWithoutSchema)
//   - the hash function of an era: Naming.renamesInEra: EraUnknown (TestUnknownFunctions)
//   - the former node-agent secret name: pair.secretName: SecretNameGained (TestNodeAgentSecretNames)
//   - the state of Azure's infrastructure: pair.infrastructure: InfrastructureMayRoll (TestPairs)
//   - a row for a changed field: restOf: the field is not judged (TestEveryFieldIsJudged)
//   - the feature gate InPlaceNodeUpdates: Added: GateIsOn, an assumption (TestFeatureGateOfInPlaceUpdates)
//   - a status, for rotations: facts.Manifest.readTriggers: Credentials, assumed unchanged (TestWhatManifestsDoNotTell)
//   - the version, on both sides: pair.unknownFacts: KubernetesVersion, assumed so (TestWhatManifestsDoNotTell)
//   - the image, on both sides: pair.unknownFacts: MachineImageVersion, assumed so (TestWhatManifestsDoNotTell)
//   - the infrastructure's state: pair.unknownFacts: ProviderState, assumed unchanged (TestWhatManifestsDoNotTell)
//   - what a Worker does not have: facts.Manifest.readWorker: three facts, assumed unchanged (TestReadWorker)
