package machineupdate_test

// This file is the state of the model: a machine with two resources of different kinds with two keys, each with one of
// two values of ours or a foreign one; its class; the cloud; two processes that may both believe that they have the
// lease.

// tagset has the values of both keys: 0 is absent, 1 and 2 are ours, alien is foreign. A spec never has alien.
type tagset uint8

const (
	keys      = 2
	resources = 2
	alien     = 3
)

func (s tagset) get(key int) uint8 { return uint8(s>>(2*key)) & 3 }

func (s tagset) with(key int, value uint8) tagset {
	return s&^(3<<(2*key)) | tagset(value)<<(2*key)
}

// specs are all possible specs of a class.
var specs = func() (sets []tagset) {
	for a := range uint8(3) {
		for b := range uint8(3) {
			sets = append(sets, tagset(0).with(0, a).with(1, b))
		}
	}
	return sets
}()

// request is what a driver sends about one resource: for each key a value to set (2 bits) and a set of values on condition of which it
// is removed (3 bits). A create instead makes a VM with the tags of a spec.
type request uint16

const (
	requestValid  request = 1 << 15
	requestCreate request = 1 << 14
	requestSecond request = 1 << 13 // concerns the second resource
	requestUnread request = 1 << 12 // sent by a class that cannot be read
	requestTags   request = 1<<10 - 1
)

func (q request) set(key int) uint8     { return uint8(q>>(5*key)) & 3 }
func (q request) removes(key int) uint8 { return uint8(q>>(5*key+2)) & 7 }
func (q request) resource() int         { return int(q >> 13 & 1) }
func (q request) withSet(key int, value uint8) request {
	return q | request(value)<<(5*key)
}

func (q request) withRemoval(key int, value uint8) request {
	return q | 1<<(5*key+2+int(value)-1)
}

// A request has two halves, because the cloud sets and removes tags in two calls.
func (q request) onlySets() request    { return q &^ (7<<2 | 7<<7) }
func (q request) onlyRemoves() request { return q &^ (3 | 3<<5) }

// apply applies a request in the cloud. It is not package fakecloud, as the model stores all infrastructure tags of a world in a few bytes.
func (q request) apply(live tagset) tagset {
	for key := range keys {
		value := live.get(key)
		if value != 0 && q.removes(key)&(1<<(value-1)) != 0 {
			live = live.with(key, 0)
		}
		if set := q.set(key); set != 0 {
			live = live.with(key, set)
		}
	}
	return live
}

// process is MCM, which may have lost its lease without knowing it. It is at a [node] of the code; zero is idle.
type process struct {
	at       nodeID
	pending  request // sent by the driver after the marker is written
	resource uint8   // the driver looks at this one next
	current  bool    // no other process has written to the machine since this one read or wrote it
}

// phase is the relevant phase of the machine.
type phase uint8

const (
	phaseNew phase = iota // empty: the creation flow
	phaseRunning
	phaseDoomed // failed, or being deleted
)

// classState is the state of the class beside its infrastructure tags.
type classState uint8

const (
	readable   classState = iota
	unreadable            // it has a member that the schema does not know
	replaced              // the machine's own class is being deleted, the one of its MachineDeployment counts
)

// ability is the known ability of the driver.
type ability uint8

const (
	incapable ability = iota // and known to be
	claiming                 // believed to be able, returns ErrUnimplemented
	capable
)

// world is a state. It has no padding and no pointers: it is compared and hashed as memory.
type world struct {
	process [2]process

	record  recordID
	records [2]recordID // of caches and backups, the newest first
	late    [2]request  // may still land
	stored  versions    // of the class, with which a creation beside an unmodified MCM may have begun

	class   tagset
	classes [2]tagset // of caches, the newest first
	changes uint8     // remaining changes of the class
	faults  uint8     // remaining disturbances

	live    [resources]tagset
	old     [resources][2]tagset // of stale reads
	ancient [resources]uint8     // keys that were live before the machine had its record, and were never recorded
	drifted [resources]uint8     // keys with foreign edits that were not repaired yet

	phase      phase
	ability    ability
	revision   uint8 // of the driver: with 0 it updates the first kind only
	epoch      uint8
	cold       bool // the Schema says that nothing is Hot
	classState classState

	vm, ready  bool // the VM exists; and is initialized
	known      bool // the machine has its provider ID
	processing bool // the state of LastOperation; used only by a naive flow
	paused     bool
	two        bool // the first process has lost its lease to the second
	deaf       bool // the first process is inside a call that ignores the end of its term; the second one is its next term
}
