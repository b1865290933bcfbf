package judge

import (
	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/facts"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/verdict"
	"github.com/hotupdate/providerconfig/internal/fieldpath"
)

// asked adds to an indeterminate finding the question that its rule leaves open. If the values of the
// fact are not known, the question is the rule, and the verdict is not bounded.
func (p *pair) asked(found Finding) Finding {
	if found.Verdict != verdict.Indeterminate || found.Question.Asks() {
		return found
	}
	found.Question = p.question(&found)
	found.Question.Rule = found.Rule
	if !found.Question.Asks() {
		found.Question.Fact = found.Rule.Text
	}
	return found
}

// question returns the question of an indeterminate finding.
func (p *pair) question(found *Finding) verdict.Question {
	switch found.Rule {
	case verdict.EraUnknown, verdict.PoolUnknown:
		return p.questionOfEra(found)
	case verdict.NoClasses:
		return classQuestion(found.Path)
	case verdict.SecretNameGained:
		return verdict.Question{
			Fact: "the node-agent secret name that the pool had", Owner: "the Worker of the cluster",
			Answer: "compare with the Worker of the cluster", Values: byName(verdict.None, verdict.Roll),
		}
	case verdict.InfrastructureMayRoll:
		return verdict.Question{
			Fact: "the identity and the subnets after the change", Owner: "the status of the Infrastructure",
			Answer: "compare the Workers before and after the Infrastructure is reconciled",
			Values: []verdict.Value{
				verdict.Gives("the same ones", verdict.None), verdict.Gives("others", verdict.Roll),
			},
		}
	case verdict.ConfigRespelled:
		return verdict.Question{
			Fact: "the order of the members that the extension compares", Owner: "the admission of the extension",
			Answer: "keep the order of the members",
			Values: []verdict.Value{
				verdict.Gives("the same order", verdict.None), verdict.Gives("another order", verdict.Forbidden),
			},
		}
	case verdict.StoredImage, verdict.DefaultImage:
		question := questions[facts.StoredImage]
		if found.Rule == verdict.DefaultImage {
			question = questions[facts.DefaultImage]
		}
		question.Values = []verdict.Value{
			verdict.Gives("another version, from which the new one can be updated in place", verdict.InPlaceUpdate),
			verdict.Gives("another image", verdict.Forbidden),
		}
		return question
	case verdict.NodeLocalDNSByVersion:
		return versionQuestion
	case verdict.NoCloudProfile:
		return imageQuestion(verdict.OfClass(found.Class, p.strategy))
	case verdict.MaintenanceStarted:
		return verdict.Question{
			Fact: "the updates that are due", Owner: "the Shoot of the cluster, with the CloudProfile",
			Answer: "see lastMaintenance in the status of the Shoot afterwards", Values: []verdict.Value{
				verdict.Gives("none", verdict.None),
				verdict.Gives("a Kubernetes version or machine image", verdict.OfClass(hotupdate.InPlace, p.strategy)),
			},
		}
	}
	if found.Omitted {
		return p.questionOfDefault(found)
	}
	return verdict.Question{}
}

// questionOfDefault asks for the default of a field that one side leaves out.
func (p *pair) questionOfDefault(found *Finding) verdict.Question {
	named := verdict.OfClass(hotupdate.Immutable, p.strategy)
	return verdict.Question{
		Fact: "the default of " + found.Path, Owner: "the defaulter or admission of the extension",
		Answer: "write the field on both sides", Values: []verdict.Value{
			verdict.Gives("the value of the other side", verdict.None),
			verdict.Gives("another one or none", verdict.OfClass(found.Class, p.strategy), named),
		},
	}
}

// questionOfEra asks for the function that names the pool.
func (p *pair) questionOfEra(found *Finding) verdict.Question {
	stays := []verdict.Verdict{verdict.None}
	named := []verdict.Verdict{verdict.OfClass(hotupdate.Immutable, p.strategy)}
	isKnown := p.naming != nil && p.provider.Name != "" && p.configs.isKnown
	if found.Class == hotupdate.Hot || !isKnown {
		stays = append(stays, verdict.HotUpdate)
	}
	if isKnown && p.mayBeUnread(found) {
		stays = []verdict.Verdict{verdict.Forbidden} // see refuseUnread
	}
	if p.strategy.InPlace() || !isKnown { // an extension may also refuse, or drain
		stays = append(stays, verdict.InPlaceUpdate)
		named = append(named, verdict.Forbidden)
	}
	question := verdict.Question{
		Fact: "the function by which the extension hashes the pool", Owner: "the extension",
		Answer: "give the eras of its releases with --eras",
		Values: []verdict.Value{
			verdict.Gives("a function without the field", stays...), verdict.Gives("a function with it", named...),
		},
	}
	if found.Rule == verdict.PoolUnknown {
		question.Fact = "the pool of the provider config, and the release of the extension"
		question.Owner = theCluster
		question.Answer = "compare the Shoots"
	}
	if isKnown && p.updated.Worker.KubernetesVersion == "" && p.updated.Kind != facts.NoKind {
		question.Fact = "the Kubernetes version of the pool, on which the hash function depends"
		question.Owner = "the Shoot of the cluster"
		question.Answer = "write the version"
	}
	return question
}

// mayBeUnread reports whether an extension that has adopted the library may not read a field, which it then refuses, at
// a Kubernetes minor that is not known.
func (p *pair) mayBeUnread(found *Finding) bool {
	reads, _ := p.readsAll(p.updated)
	return !reads && isUnread(*found) && p.hasAdopted()
}

// RunningQuestion asks whether a pool still has machines before its hibernation is finished, with the verdict on them.
func RunningQuestion(v verdict.Verdict) verdict.Question {
	return verdict.Question{
		Rule: verdict.MayStillRun, Fact: "whether machines of the pool still run", Owner: "the cluster",
		Answer: "wait until status.hibernated of the Shoot is true",
		Values: []verdict.Value{verdict.Gives("no", verdict.None), verdict.Gives("yes", v)},
	}
}

// byName returns the two values of a question about a name: it stays, or it changes.
func byName(stays, changes verdict.Verdict) []verdict.Value {
	return []verdict.Value{
		verdict.Gives("the same name as after the change", stays), verdict.Gives("another name", changes),
	}
}

// imageQuestion asks for a machine image of a pool that is updated in place, with the verdict if
// the image is admitted.
func imageQuestion(admitted verdict.Verdict) verdict.Question {
	return verdict.Question{
		Rule: verdict.NoCloudProfile, Fact: "whether the machine image can be updated in place",
		Owner: theProfile, Answer: nameProfile,
		Values: []verdict.Value{verdict.Gives("yes", admitted), verdict.Gives("no", verdict.Forbidden)},
	}
}

// readQuestion asks for the version of a new pool. An extension that has adopted the library reads the config from the
// first minor on.
func readQuestion(first string) verdict.Question {
	return verdict.Question{
		Rule: verdict.ReadByVersion, Fact: "the Kubernetes version of the new pool", Owner: theCluster,
		Answer: "write the version",
		Values: []verdict.Value{
			verdict.Gives(first+" or newer", verdict.Added),
			verdict.Gives("an older one", verdict.Forbidden),
		},
	}
}

// versionQuestion asks for the version on which the refusal of node-local DNS depends.
var versionQuestion = verdict.Question{
	Fact: "the Kubernetes version that the pool has", Owner: theCluster, Answer: "write the version",
	Values: []verdict.Value{
		verdict.Gives("1.34 or newer", verdict.None), verdict.Gives("an older one", verdict.Forbidden),
	},
}

// poolsQuestion asks for the pools that have a provider config which is only on one side. The
// answer may lead to any verdict.
var poolsQuestion = verdict.Question{
	Rule: verdict.PoolsUnknown, Fact: "what becomes of the worker pools that have the provider config",
	Owner: "the Shoots", Answer: "compare the Shoots or Workers that have it",
}

// classQuestion asks for the classes of the fields of a custom resource, such as that of a path.
func classQuestion(path string) verdict.Question {
	return verdict.Question{
		Fact: "the classes of the fields", Owner: "the controller of the kind",
		Answer: "hotupdate schema --crd lists the fields: give them classes, such as " + fieldpath.PatternOf(path) +
			": true, in the file of --classes",
	}
}
