package openstack

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hotupdate/providerconfig/examples/internal/conversion"
	"github.com/hotupdate/providerconfig/examples/openstack/internal/apis"
)

// ToInternal converts a config to the internal type. They share memory.
func ToInternal(in *WorkerConfig) *apis.WorkerConfig {
	return &apis.WorkerConfig{
		NodeTemplate: in.NodeTemplate,
		ServerGroup:  (*apis.ServerGroup)(in.ServerGroup),
		Labels: conversion.List(in.Labels,
			func(l Label) apis.MachineLabel { return apis.MachineLabel(l) }),
		AdditionalSecurityGroups: in.AdditionalSecurityGroups,
		Tags:                     in.Tags,
	}
}

// FromInternal converts a config from the internal type. They share memory.
func FromInternal(in *apis.WorkerConfig) *WorkerConfig {
	return &WorkerConfig{
		TypeMeta:     metav1.TypeMeta{APIVersion: APIVersion, Kind: Kind},
		NodeTemplate: in.NodeTemplate,
		ServerGroup:  (*ServerGroup)(in.ServerGroup),
		Labels: conversion.List(in.Labels,
			func(l apis.MachineLabel) Label { return Label(l) }),
		AdditionalSecurityGroups: in.AdditionalSecurityGroups,
		Tags:                     in.Tags,
	}
}
