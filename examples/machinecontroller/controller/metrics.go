package controller

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/hotupdate/providerconfig/examples/machinecontroller/api"
)

var _ prometheus.Collector = (*Controller)(nil)

var (
	reconciles = prometheus.NewDesc("mcm_hot_update_reconciles_total", "What was decided about machines, why, and how it ended.", []string{"action", "reason", "ending"}, nil)
	fleet      = prometheus.NewDesc("mcm_hot_update_fleet", "What the records of all machines say, by name.", []string{"name"}, nil)
)

// Describe makes a Controller a collector of Prometheus.
func (c *Controller) Describe(descs chan<- *prometheus.Desc) {
	descs <- reconciles
	descs <- fleet
}

// Collect hands out the numbers of this process.
func (c *Controller) Collect(metrics chan<- prometheus.Metric) {
	for labels, n := range c.Counters.Counts() {
		metrics <- prometheus.MustNewConstMetric(reconciles, prometheus.CounterValue, float64(n), labels[:]...)
	}
	for name, value := range c.Fleet.Samples(list[api.Machine](c.Cache.Machines), c.Now()) {
		metrics <- prometheus.MustNewConstMetric(fleet, prometheus.GaugeValue, value, name)
	}
}
