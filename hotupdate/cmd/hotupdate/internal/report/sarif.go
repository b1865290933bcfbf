package report

import (
	"net/url"
	"path/filepath"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/verdict"
)

// The parts of SARIF 2.1.0 that a report needs.
// Source: OASIS, "Static Analysis Results Interchange Format (SARIF) Version 2.1.0".
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool        sarifTool         `json:"tool"`
		Invocations []sarifInvocation `json:"invocations"`
		Results     []sarifResult     `json:"results"`
	}
	sarifInvocation struct {
		ExecutionSuccessful        bool                `json:"executionSuccessful"`
		ToolExecutionNotifications []sarifNotification `json:"toolExecutionNotifications,omitempty"`
	}
	sarifNotification struct {
		Level     string          `json:"level"`
		Message   sarifMessage    `json:"message"`
		Locations []sarifLocation `json:"locations,omitempty"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name           string      `json:"name"`
		Version        string      `json:"version,omitempty"`
		InformationURI string      `json:"informationUri"`
		Rules          []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID               string       `json:"id"`
		ShortDescription sarifMessage `json:"shortDescription"`
	}
	sarifResult struct {
		RuleID       string             `json:"ruleId"`
		Level        string             `json:"level"`
		Message      sarifMessage       `json:"message"`
		Locations    []sarifLocation    `json:"locations,omitempty"`
		Suppressions []sarifSuppression `json:"suppressions,omitempty"`
	}
	sarifSuppression struct {
		Kind          string `json:"kind"`
		Justification string `json:"justification"`
	}
	sarifMessage struct {
		Text string `json:"text"`
	}
	sarifLocation struct {
		PhysicalLocation sarifPhysicalLocation `json:"physicalLocation"`
	}
	sarifPhysicalLocation struct {
		ArtifactLocation sarifArtifactLocation `json:"artifactLocation"`
		Region           sarifRegion           `json:"region"`
	}
	sarifArtifactLocation struct {
		URI string `json:"uri"`
	}
	sarifRegion struct {
		StartLine int `json:"startLine"`
	}
)

const homepage = "https://github.com/hotupdate/providerconfig"

var sarifLevels = map[gravity]string{asNote: "note", asWarning: "warning", asError: "error"}

// SARIF returns the report for programs that collect findings, in SARIF 2.1.0, as a value for JSON. A
// result is a change that decides a verdict; its rule is the verdict. What people accept is suppressed.
// Version is the version of the command, and may be empty.
func SARIF(r *Report, version string) any {
	run := sarifRun{
		Tool: sarifTool{sarifDriver{
			Name: "hotupdate", Version: version, InformationURI: homepage, Rules: sarifRules(),
		}},
		Invocations: []sarifInvocation{{len(r.NotJudged) == 0, r.notifications()}},
		Results:     []sarifResult{},
	}
	for _, n := range r.notices() {
		result := sarifResult{
			RuleID: n.word, Level: sarifLevels[gravityOf(n.word)],
			Message: sarifMessage{n.word + ": " + n.subject + ": " + n.text}, Locations: locationsOf(n.place),
		}
		if n.accepted != "" {
			result.Suppressions = []sarifSuppression{{"external", n.accepted}}
		}
		run.Results = append(run.Results, result)
	}
	return sarifLog{"https://json.schemastore.org/sarif-2.1.0.json", "2.1.0", []sarifRun{run}}
}

// notifications are the objects that are not judged, the warnings about the files, and the assumptions.
func (r *Report) notifications() (all []sarifNotification) {
	for _, one := range r.NotJudged {
		all = append(all, sarifNotification{
			Level: sarifLevels[asError], Message: sarifMessage{one.Text}, Locations: locationsOf(one.Place),
		})
	}
	for _, warning := range r.Warnings {
		all = append(all, sarifNotification{Level: sarifLevels[asWarning], Message: sarifMessage{warning}})
	}
	for _, a := range r.Assumptions {
		all = append(all, sarifNotification{
			Level: sarifLevels[asNote], Message: sarifMessage{string(verdict.Assumes) + ": " + r.assumptionText(a)},
		})
	}
	return all
}

// locationsOf returns a place as SARIF has it; nothing if it is not known.
func locationsOf(place pool.Place) []sarifLocation {
	if place.File == "" {
		return nil
	}
	return []sarifLocation{{sarifPhysicalLocation{
		sarifArtifactLocation{uriOf(place.File)}, sarifRegion{place.Line},
	}}}
}

// sarifRules are the verdicts and states that a result may have.
func sarifRules() (all []sarifRule) {
	for _, word := range words {
		if word != none {
			all = append(all, sarifRule{word, sarifMessage{meanings[word]}})
		}
	}
	return all
}

// uriOf returns the reference to a file as a URI, relative if its path is.
func uriOf(file string) string {
	path := filepath.ToSlash(file)
	if filepath.IsAbs(file) {
		return (&url.URL{Scheme: "file", Path: path}).String()
	}
	return (&url.URL{Path: path}).String()
}

// meanings say what the words of a report mean.
var meanings = map[string]string{
	verdict.Removed.String():                 "Machines are deleted for good, with their pool.",
	verdict.PoolRenamed.String():             "Machines are deleted, and a pool of another name gets new ones.",
	verdict.Forbidden.String():               "The change is refused.",
	verdict.Roll.String():                    "Machines are replaced.",
	verdict.Indeterminate.String():           "The known facts do not decide what happens to machines.",
	verdict.InPlaceUpdate.String():           "Nodes are drained and updated in place.",
	verdict.MachinesDeleted.String():         "Machines are deleted, and no others replace them.",
	verdict.AllMachinesMayBeDeleted.String(): "Every machine of a pool is deleted, if the pool has any.",
	verdict.MachinesMayBeDeleted.String():    "Machines are deleted if the pool has more than its new maximum.",
	verdict.MachinesAdded.String():           "A pool gets, or may get, more machines, and none is deleted.",
	verdict.HotUpdate.String():               "Running machines are updated.",
	verdict.Added.String():                   "A pool is added, and its machines are created.",
}
