package controller

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/hotupdate/providerconfig/examples/machinecontroller/api"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
)

var _ prometheus.Collector = (*Controller)(nil)

var fleet = prometheus.NewDesc("mcm_hot_update_fleet", "What the records of all machines say, by name.",
	[]string{"name"}, nil)

func newReconciles() *prometheus.CounterVec {
	options := prometheus.CounterOpts{
		Name: "mcm_hot_update_reconciles_total", Help: "What was decided about machines, why, and how it ended.",
	}
	return prometheus.NewCounterVec(options, []string{"action", "reason", "ending"})
}

// count is Executor.Count.
func (c *Controller) count(action string, reason machineupdate.Reason, ending string) {
	c.Reconciles.WithLabelValues(action, string(reason), ending).Inc()
}

// Ended returns the number of reconciles with the ending.
func (c *Controller) Ended(ending string) (n float64) {
	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(c.Reconciles)
	families, _ := registry.Gather() // a counter vector has no errors
	for _, family := range families {
		for _, metric := range family.GetMetric() {
			for _, label := range metric.GetLabel() {
				if label.GetName() == "ending" && label.GetValue() == ending {
					n += metric.GetCounter().GetValue()
				}
			}
		}
	}
	return n
}

// Describe makes a Controller a collector of Prometheus.
func (c *Controller) Describe(descs chan<- *prometheus.Desc) {
	descs <- fleet
	c.Reconciles.Describe(descs)
}

// Collect returns the numbers of this process.
func (c *Controller) Collect(metrics chan<- prometheus.Metric) {
	c.Reconciles.Collect(metrics)
	for name, value := range c.Fleet.Samples(list[api.Machine](c.Cache.Machines), c.Now()) {
		metrics <- prometheus.MustNewConstMetric(fleet, prometheus.GaugeValue, value, name)
	}
}
