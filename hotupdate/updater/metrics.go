package updater

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
)

// metrics are the collectors of an Updater. It registers none of them.
type metrics struct {
	reconciles *prometheus.CounterVec
	versions   *prometheus.CounterVec
	leads      prometheus.Gauge
	overdue    *prometheus.Desc
	fleet      *prometheus.Desc
	inPlace    *prometheus.Desc
}

func newMetrics() *metrics {
	return &metrics{
		reconciles: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "hot_update_reconciles_total", Help: "What was decided about machines, why, and how it ended.",
		}, []string{"action", "reason", "ending"}),
		versions: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "hot_update_creations_total", Help: "Creations by what became of the version of their class.",
		}, []string{"version"}),
		leads: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "hot_update_leads", Help: "1 while this process has the lease of hot updates.",
		}),
		overdue: prometheus.NewDesc(
			"hot_update_overdue_calls", "Calls of the driver that go on although their context has ended.", nil, nil,
		),
		fleet: prometheus.NewDesc(
			"hot_update_fleet", "What the records of all machines say, by name.", []string{"name"}, nil,
		),
		inPlace: prometheus.NewDesc(
			"hot_update_in_place", "Machines of pools that are updated in place, by the state of their InPlace part.",
			[]string{"state"}, nil,
		),
	}
}

func (m *metrics) count(action string, reason machineupdate.Reason, ending string) {
	m.reconciles.WithLabelValues(action, string(reason), ending).Inc()
}

// Describe makes an Updater a [prometheus.Collector]. Register it, also before Run.
func (u *Updater) Describe(descs chan<- *prometheus.Desc) {
	u.metrics.reconciles.Describe(descs)
	u.metrics.versions.Describe(descs)
	u.metrics.leads.Describe(descs)
	descs <- u.metrics.overdue
	descs <- u.metrics.fleet
	descs <- u.metrics.inPlace
}

// Collect sends the metrics of this process.
func (u *Updater) Collect(samples chan<- prometheus.Metric) {
	u.metrics.reconciles.Collect(samples)
	u.metrics.versions.Collect(samples)
	u.metrics.leads.Collect(samples)
	samples <- prometheus.MustNewConstMetric(u.metrics.overdue, prometheus.GaugeValue, float64(u.calls.overdue()))
	machines := u.cache.allMachines()
	for name, value := range u.fleet.Samples(machines, time.Now()) {
		samples <- prometheus.MustNewConstMetric(u.metrics.fleet, prometheus.GaugeValue, value, name)
	}
	for state, count := range u.inPlaceStates(machines) {
		samples <- prometheus.MustNewConstMetric(u.metrics.inPlace, prometheus.GaugeValue, float64(count), state)
	}
}

// inPlaceStates counts the machines by the state of their InPlace part.
func (u *Updater) inPlaceStates(machines []*object) map[string]int {
	counts := map[string]int{}
	for _, machine := range machines {
		of, err := u.cache.ownership(machine)
		if err != nil || !of.inPlace {
			continue
		}
		id := text(machine, "spec", "providerID")
		observed := machineupdate.Observation{ProviderID: id}
		_, observed.Class, _ = u.prepare(of.wanted)
		_, observed.Former, _ = u.prepare(of.former)
		counts[observed.InPlace(machine).String()]++
	}
	return counts
}
