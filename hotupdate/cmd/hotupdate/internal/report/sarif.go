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

// SARIF returns findings in SARIF 2.1.0, as a value for JSON. The rule of a result is the verdict.
// Accepted findings are suppressed. Version is the version of the command, and may be empty.
func SARIF(f Findings, version string) any {
	run := sarifRun{
		Tool: sarifTool{sarifDriver{
			Name: "hotupdate", Version: version, InformationURI: homepage, Rules: sarifRules(),
		}},
		Invocations: []sarifInvocation{{len(f.NotJudged) == 0, f.notifications()}},
		Results:     []sarifResult{},
	}
	for _, n := range f.All {
		result := sarifResult{
			RuleID: n.Verdict, Level: sarifLevels[gravityOf(n.Verdict)],
			Message: sarifMessage{n.Verdict + ": " + n.Subject + ": " + n.Text}, Locations: locationsOf(n.Place),
		}
		if n.Accepted != "" {
			result.Suppressions = []sarifSuppression{{"external", n.Accepted}}
		}
		run.Results = append(run.Results, result)
	}
	return sarifLog{"https://json.schemastore.org/sarif-2.1.0.json", "2.1.0", []sarifRun{run}}
}

// notifications are the objects that are not judged, the warnings about the files, and the assumptions.
func (f *Findings) notifications() (notifications []sarifNotification) {
	for _, one := range f.NotJudged {
		notifications = append(notifications, sarifNotification{
			Level: sarifLevels[asError], Message: sarifMessage{one.Text}, Locations: locationsOf(one.Place),
		})
	}
	for _, warning := range f.Warnings {
		notifications = append(notifications, sarifNotification{
			Level: sarifLevels[asWarning], Message: sarifMessage{warning},
		})
	}
	for _, a := range f.Assumptions {
		notifications = append(notifications, sarifNotification{
			Level: sarifLevels[asNote], Message: sarifMessage{string(verdict.Assumes) + ": " + a},
		})
	}
	return notifications
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

// sarifRules are the verdicts that a result may have.
func sarifRules() (rules []sarifRule) {
	for v := verdict.Removed; v > verdict.None; v-- {
		rules = append(rules, sarifRule{v.String(), sarifMessage{meanings[v]}})
	}
	return rules
}

// uriOf returns the reference to a file as a URI, relative if its path is.
func uriOf(file string) string {
	path := filepath.ToSlash(file)
	if filepath.IsAbs(file) {
		return (&url.URL{Scheme: "file", Path: path}).String()
	}
	return (&url.URL{Path: path}).String()
}

// meanings say what the verdicts mean.
var meanings = map[verdict.Verdict]string{
	verdict.Removed:                 "Machines are deleted for good, with their pool.",
	verdict.PoolRenamed:             "Machines are deleted, and a pool of another name gets new ones.",
	verdict.Forbidden:               "The change is refused, or the new release cannot read the config.",
	verdict.Roll:                    "Machines are replaced.",
	verdict.ClassRenamed:            "Nodes get another MachineClass and are updated in place.",
	verdict.Indeterminate:           "The known facts do not decide what happens to machines.",
	verdict.Unreadable:              "Neither the old nor the new release can read the config.",
	verdict.InPlaceUpdate:           "Nodes are drained and updated in place.",
	verdict.MachinesDeleted:         "Machines are deleted, and no others replace them.",
	verdict.AllMachinesMayBeDeleted: "Every machine of a pool is deleted, if the pool has any.",
	verdict.MachinesMayBeDeleted:    "Machines are deleted if the pool has more than its new maximum.",
	verdict.MachinesAdded:           "A pool gets, or may get, more machines, and none is deleted.",
	verdict.HotUpdate:               "Running machines are updated.",
	verdict.Added:                   "A pool is added, and its machines are created.",
	verdict.BecomesReadable:         "Only the new release can read the config.",
}
