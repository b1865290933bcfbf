package editedmcm

import (
	"embed"
	"slices"
)

// The folders of the edited files.
const (
	machines = "pkg/util/provider/machinecontroller/"
	options  = "pkg/util/provider/options/"
	app      = "pkg/util/provider/app/"
)

//go:embed testdata/hotupdates
var added embed.FS

// HotUpdates are hot updates of machines, in the controller of machines.
var HotUpdates = Change{
	edits: slices.Concat(reconcile, creation, inPlace, fields, classes, flags),
	added: added, root: "testdata/hotupdates",
}

// reconcile is the step of hot updates in the reconcile of a machine.
var reconcile = []edit{
	{
		machines + "machine.go",
		`machine *v1alpha1.Machine) (machineutils.RetryPeriod, error) {
	klog.V(2).Infof("reconcileClusterMachine: Start`,
		`machine *v1alpha1.Machine) (retryPeriod machineutils.RetryPeriod, err error) {
	klog.V(2).Infof("reconcileClusterMachine: Start`,
	},
	{
		machines + "machine.go",
		`
		retry, err = c.inPlaceUpdate(ctx, machine)
`,
		`	}

	updated := c.hotUpdate(ctx, machine)
	machine = updated.Machine
	defer func() { retryPeriod = machineutils.RetryPeriod(updated.RequeueWithin(time.Duration(retryPeriod))) }()

	if machine.Labels[v1alpha1.NodeLabelKey] != "" && machine.Status.CurrentStatus.Phase != "" {
		retry, err := c.inPlaceUpdate(ctx, machine)
`,
	},
}

// creation records what a VM is created with.
var creation = []edit{
	{
		machines + "machine.go",
		`		uninitializedMachine = false
`,
		`		uninitializedMachine = false
		isNew                = false
		creation             *machineupdate.Creation
		begun                machineutils.RetryPeriod
`,
	},
	{
		machines + "machine.go",
		`				createMachineResponse, err := c.driver.CreateMachine(ctx, createMachineRequest)
`,
		`				creation, begun, err = c.beginCreation(ctx, createMachineRequest)
				machine = createMachineRequest.Machine
				if creation == nil {
					return begun, err
				}
				createMachineResponse, err := c.driver.CreateMachine(creation.Context(ctx), createMachineRequest)
`,
	},
	{
		machines + "machine.go",
		`				uninitializedMachine = true
			} else {
`,
		`				uninitializedMachine = true
				isNew = true
			} else {
`,
	},
	{
		machines + "machine.go",
		`			uninitializedMachine = true
			klog.Infof(`,
		`			uninitializedMachine = true
			creation, begun, err = c.beginCreation(ctx, createMachineRequest)
			machine = createMachineRequest.Machine
			if creation == nil {
				return begun, err
			}
			klog.Infof(`,
	},
	{
		machines + "machine.go",
		`c.initializeMachine(ctx, clone, createMachineRequest.MachineClass, createMachineRequest.Secret)
		if err != nil {
			return retryPeriod, err
		}
`,
		`c.initializeMachine(ctx, creation, clone, createMachineRequest.MachineClass, createMachineRequest.Secret)
		if err != nil {
			return retryPeriod, err
		}
		if isNew {
			finished := c.executor().FinishCreation(ctx, creation, clone, providerID)
			clone = finished.Machine
			logUpdate(clone, finished.Err)
		}
`,
	},
	{
		machines + "machine.go",
		`) initializeMachine(ctx context.Context, machine *v1alpha1.Machine,`,
		`) initializeMachine(ctx context.Context, creation *machineupdate.Creation, machine *v1alpha1.Machine,`,
	},
	{
		machines + "machine.go",
		`c.driver.InitializeMachine(ctx, req)`,
		`c.driver.InitializeMachine(creation.Context(ctx), req)`,
	},
	{
		machines + "machine.go",
		`	"k8s.io/klog/v2"

`,
		`	"k8s.io/klog/v2"

	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"

`,
	},
}

// inPlace is the gate of updates in place, and the time that they take.
var inPlace = []edit{
	{
		machines + "machine_util.go",
		`	if cond.Reason == v1alpha1.DrainSuccessful {
`,
		`	if cond.Reason == v1alpha1.DrainSuccessful {
		if retry, isReady := c.applyInPlace(ctx, machine); !isReady {
			return retry, fmt.Errorf("node %s waits for an update of its VM", getNodeName(machine))
		}
`,
	},
	{
		machines + "machine_util.go",
		`			timeOutDuration = c.getEffectiveInPlaceUpdateTimeout(machine).Duration
			timeElapsed = metav1.Now().Sub(machine.Status.CurrentStatus.LastUpdateTime.Time)
`,
		`			timeOutDuration = c.getEffectiveInPlaceUpdateTimeout(machine).Duration
			timeElapsed = metav1.Now().Sub(updatingSince(machine, node).Time)
`,
	},
}

// fields are what all machines share, and the lister of MachineDeployments.
var fields = []edit{
	{
		machines + "controller.go",
		`	machineInformer machineinformers.MachineInformer,
`,
		`	machineInformer machineinformers.MachineInformer,
	machineDeploymentInformer machineinformers.MachineDeploymentInformer,
`,
	},
	{
		machines + "controller.go",
		`	resourceExhaustedRetry machineutils.RetryPeriod,
) (Controller, error) {
`,
		`	resourceExhaustedRetry machineutils.RetryPeriod,
	updateSettings machineupdate.Settings,
) (Controller, error) {
`,
	},
	{
		machines + "controller.go",
		`		resourceExhaustedRetry:        resourceExhaustedRetry,
	}
`,
		`		resourceExhaustedRetry:        resourceExhaustedRetry,
		updateSettings:                updateSettings,
		updateLimiter:                 &machineupdate.Limiter{Every: time.Second, Burst: 10, InFlight: 3},
		now:                           time.Now,
	}
	controller.classes.OnNonHotChange = controller.reportNonHotChange
`,
	},
	{
		machines + "controller.go",
		`	controller.machineLister = machineInformer.Lister()
`,
		`	controller.machineLister = machineInformer.Lister()
	controller.machineDeploymentLister = machineDeploymentInformer.Lister()
`,
	},
	{
		machines + "controller.go",
		`	controller.machineSynced = machineInformer.Informer().HasSynced
`,
		`	controller.machineSynced = machineInformer.Informer().HasSynced
	controller.machineDeploymentSynced = machineDeploymentInformer.Informer().HasSynced
`,
	},
	{
		machines + "controller.go",
		`	resourceExhaustedRetry machineutils.RetryPeriod
}
`,
		`	resourceExhaustedRetry machineutils.RetryPeriod

	// hot updates
	classes                 machineupdate.Classes
	updateMemory            machineupdate.Memory
	updateSettings          machineupdate.Settings
	updateLimiter           *machineupdate.Limiter
	now                     func() time.Time
	machineDeploymentLister machinelisters.MachineDeploymentLister
	machineDeploymentSynced cache.InformerSynced
}
`,
	},
	{
		machines + "controller.go",
		`		dc.machineSynced,
`,
		`		dc.machineSynced,
		dc.machineDeploymentSynced,
`,
	},
	{
		machines + "controller.go",
		`	"k8s.io/klog/v2"
)
`,
		`	"k8s.io/klog/v2"

	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
)
`,
	},
	{
		app + "app.go",
		`		machineSharedInformers.Machines(),
`,
		`		machineSharedInformers.Machines(),
		machineSharedInformers.MachineDeployments(),
`,
	},
	{
		app + "app.go",
		`		resourceExhaustedRetryPeriod,
	)
`,
		`		resourceExhaustedRetryPeriod,
		s.UpdateSettings,
	)
`,
	},
}

// classes lets a change of a class reach the machines that should have it.
var classes = []edit{
	{
		machines + "machineclass.go",
		`func (c *controller) machineClassDelete(obj any) {
`,
		`func (c *controller) machineClassDelete(obj any) {
	if key, err := cache.DeletionHandlingMetaNamespaceKeyFunc(obj); err == nil {
		c.classes.Forget(key)
	}
`,
	},
	{
		machines + "machineclass_util.go",
		`		if machine.Spec.Class.Kind == kind && machine.Spec.Class.Name == name {
`,
		`		if machine.Spec.Class.Kind == kind && (machine.Spec.Class.Name == name || c.wants(machine, name)) {
`,
	},
}

// flags set the times of updates.
var flags = []edit{
	{
		options + "types.go",
		`	// ResourceExhaustedRetry is the duration`,
		`	// UpdateSettings are the times of hot updates.
	UpdateSettings machineupdate.Settings

	// ResourceExhaustedRetry is the duration`,
	},
	{
		options + "types.go",
		`	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)
`,
		`	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
)
`,
	},
	{
		app + "options/options.go",
		`	logs.AddFlags(fs)`,
		`	updates := &s.UpdateSettings
	fs.DurationVar(&updates.ConfirmAfter, "hot-update-confirm-after", 0, "Time after a hot update of a machine until "+
		"it is confirmed. Zero is the default of 15 minutes.")
	fs.DurationVar(&updates.RetryAfter, "hot-update-retry-after", 0, "Time after a failed hot update of a machine "+
		"until the next one. Zero is the default of 15 seconds.")
	fs.DurationVar(&updates.CallTimeout, "hot-update-call-timeout", 0, "Time in which a hot update of a machine may "+
		"send requests. Zero is the default of 5 minutes.")
	fs.DurationVar(&updates.CreationTimeout, "hot-update-creation-timeout", 0, "Time in which a creation of a VM may "+
		"send requests. Zero is the default of 10 minutes.")
	logs.AddFlags(fs)`,
	},
}
