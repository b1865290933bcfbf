package controller

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/hotupdate/providerconfig/examples/machinecontroller/api"
)

var _ prometheus.Collector = (*Controller)(nil)

var (
	decisions = prometheus.NewDesc("mcm_hot_update_decisions_total", "What was decided about machines, by action and reason.", []string{"action", "reason"}, nil)
	endings   = prometheus.NewDesc("mcm_hot_update_endings_total", "How reconciles ended.", []string{"ending"}, nil)
	fleet     = prometheus.NewDesc("mcm_hot_update_fleet", "What the records of all machines say, by name.", []string{"name"}, nil)
)

// Describe makes a Controller a collector of Prometheus.
func (c *Controller) Describe(descs chan<- *prometheus.Desc) {
	descs <- decisions
	descs <- endings
	descs <- fleet
}

// Collect hands out the numbers of this process.
func (c *Controller) Collect(metrics chan<- prometheus.Metric) {
	for labels, n := range c.Counters.Decisions() {
		metrics <- prometheus.MustNewConstMetric(decisions, prometheus.CounterValue, float64(n), labels[0], labels[1])
	}
	for ending, n := range c.Counters.Endings() {
		metrics <- prometheus.MustNewConstMetric(endings, prometheus.CounterValue, float64(n), ending)
	}
	for name, value := range c.Fleet.Samples(list[api.Machine](c.Cache.Machines), c.Now()) {
		metrics <- prometheus.MustNewConstMetric(fleet, prometheus.GaugeValue, value, name)
	}
}
