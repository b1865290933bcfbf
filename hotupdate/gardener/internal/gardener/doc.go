// Package gardener asks Gardener's own code what a change of a Shoot does: whether the API server
// refuses it, by which field, and which worker pools get other keys. The command hotupdate-gardener
// serves it to hotupdate plan, in the format of package gardenerplugin.
//
// The package calls what gardener-apiserver and gardenlet call, in this order:
//
//  1. Decoding: unknown members of the new manifest are refused, and defaults are set.
//  2. Applying: the manifest meets the stored Shoot by kubectl apply (a strategic merge by Gardener's
//     patch keys), server-side apply (structured-merge-diff by Gardener's OpenAPI) or replace. The old
//     manifest is what was applied last, in the same way.
//  3. Mutation: the admission plugins ShootMutator, ShootVPAEnabledByDefault and
//     ShootResourceReservation; for a Shoot that is created also ShootNodeLocalDNSEnabledByDefault.
//  4. The registry: PrepareForUpdate, ValidateShootUpdate and Canonicalize, by
//     k8s.io/apiserver's BeforeUpdate.
//  5. Validation by the admission plugin ShootValidator.
//  6. For each pool, calculateKeyForValues, and CalculateWorkerPoolHashForInPlaceUpdate if the pool
//     is updated in place. Where they change, machines are replaced, or nodes are updated.
//
// Some facts are in no manifest:
//
//   - The stored Shoot. If a user wrote the old manifest, the package creates the Shoot from it by
//     the same code and assumes that it is scheduled and reconciled. Answers list what was assumed.
//     An image that the Shoot got when it was created is not known.
//   - Objects that were not given. Gardener's code then sees ones that permit everything, so they
//     refuse nothing. Answers name them. A pool is undecided if a default of theirs decides, or what
//     useGKEFormula reserves by the machine type.
//   - The way of applying, if the question does not state it. All are tried. If they differ, the answer
//     has the outcomes of each, and says that the way decides.
//   - The configuration of gardener-apiserver. All configurations that can change a key are tried.
//     If they differ, the answer has each outcome and names the flag.
//
// Not asked are the code of extensions (their hashes and their admission), the other admission
// plugins (DNS, quota, exposure classes, tolerations and others), permissions, and gardenlet, which
// begins rotations. A change of labels is judged as if the selector of ShootResourceReservation
// matched both Shoots, or neither.
//
// The module is released for one version of Gardener, which its go.mod requires.
//
// It stays a program beside hotupdate, and is not linked into it:
//
//   - A question may end in Gardener's code by a panic or never. As a process of its own it costs one answer,
//     and plan judges the change by its own rules.
//   - An operator chooses the program of the Gardener that runs, also an older one, and keeps the newest hotupdate.
//   - The module has more than two hundred modules and takes minutes to compile. hotupdate has few, is installed by
//     go install within a minute, and a fault in one of Gardener's modules concerns no user of it.
//   - It is built for the same systems as hotupdate, but a module of Gardener's that does not compile for one of
//     them stops no release of hotupdate.
//
// The price is the protocol, which exists twice, and a second program to install. It is paid by those alone who ask
// Gardener's code. Nothing of hotupdate imports this module, and it imports nothing of hotupdate.
//
// Its tests hold hotupdate plan to Gardener's answers. They draw edits of every field of Shoots of
// several clouds, and compare both answers; testdata/differences.yaml has the differences. The flag
// -seed, or the environment variable SEED, draws other edits, and -report writes the causes of all
// differences, with a pair of Shoots for each.
//
// Source: Gardener v1.150; GEP-31, "Worker pool hash calculations".
package gardener
