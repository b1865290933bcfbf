package machineupdate_test

// This file is the state of the model: a machine with two resources that carry two keys, each with one of two values of ours or one of
// somebody else's; its class; the cloud; two processes that may both believe to hold the lease.

// tagset holds the values of both keys: 0 is absent, 1 and 2 are ours, alien is somebody else's. As a spec it never holds alien.
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

// specs are all that a class can want.
var specs = func() (all []tagset) {
	for a := range uint8(3) {
		for b := range uint8(3) {
			all = append(all, tagset(0).with(0, a).with(1, b))
		}
	}
	return all
}()

// request is what a driver sends about one resource: for each key a value to set (2 bits) and a set of values on condition of which it
// is removed (3 bits). A create instead makes a VM with the tags of a spec.
type request uint16

const (
	requestValid  request = 1 << 15
	requestCreate request = 1 << 14
	requestSecond request = 1 << 13 // concerns the second resource
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

// A request has two halves, since the cloud takes what it sets and what it removes one after the other.
func (q request) onlySets() request    { return q &^ (7<<2 | 7<<7) }
func (q request) onlyRemoves() request { return q &^ (3 | 3<<5) }

// apply is what the cloud does.
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

// stage is how far a process is with its work on the machine.
type stage uint8

const (
	idle         stage = iota
	decided            // the marker is to be written
	calling            // the first resource comes next
	calling2           // the second resource comes next
	succeeded          // the success is to be written
	unable             // the driver returned ErrUnimplemented, the marker is to be taken back
	creating           // the creation's marker is written, CreateMachine comes next
	initializing       // a new VM is there, InitializeMachine comes next
	initialized        // InitializeMachine was successful, Created is to be written
	repairing          // an existing VM is not initialized, InitializeMachine comes next
	reporting          // the provider ID, and then the status, are to be written
)

// process is MCM, which may have lost its lease without knowing.
type process struct {
	stage   stage
	current bool // no other process has written to the machine since this one read or wrote it
	pass    passID
}

// world is a state.
type world struct {
	class, formerClass tagset
	changes            uint8 // how often the class may still change
	faults             uint8 // how many disturbances there may still be

	record, formerRecord recordID
	vm, ready            bool // the VM exists; and is initialized
	known, running       bool // the machine has its provider ID; and the phase Running
	ability              uint8
	revision             uint8 // of the driver: with 0 it knows the first resource only
	processing           bool  // LastOperation says so; used by a naive flow only

	live    [resources]tagset
	old     [resources][2]tagset // what reads may still show
	ancient [resources]uint8     // keys from before the adoption that were never recorded
	drifted [resources]uint8     // keys that others edited, and that were not repaired since

	late    [2]request // may still land
	process [2]process
	two     bool // the first process has lost its lease to the second
}

// The abilities of a driver.
const (
	incapable uint8 = iota // and known to be
	claiming               // believed to be able, returns ErrUnimplemented
	capable
)

type packer struct {
	p  packed
	at uint
}

func (b *packer) put(value uint64, width uint) {
	word, shift := b.at/64, b.at%64
	b.p[word] |= value << shift
	if shift+width > 64 {
		b.p[word+1] |= value >> (64 - shift)
	}
	b.at += width
}

func (b *packer) bool(value bool) {
	if value {
		b.put(1, 1)
	} else {
		b.put(0, 1)
	}
}

func (b *packer) get(width uint) uint64 {
	word, shift := b.at/64, b.at%64
	value := b.p[word] >> shift
	if shift+width > 64 {
		value |= b.p[word+1] << (64 - shift)
	}
	b.at += width
	return value & (1<<width - 1)
}

func (b *packer) flag() bool { return b.get(1) == 1 }

func (w *world) pack() packed {
	b := packer{}
	b.put(uint64(w.class)|uint64(w.formerClass)<<4|uint64(w.changes)<<8|uint64(w.faults)<<10, 14)
	b.put(uint64(w.record)|uint64(w.formerRecord)<<16, 32)
	b.bool(w.vm)
	b.bool(w.ready)
	b.bool(w.known)
	b.bool(w.running)
	b.put(uint64(w.ability)|uint64(w.revision)<<2, 3)
	b.bool(w.processing)
	for r := range resources {
		b.put(uint64(w.live[r])|uint64(w.old[r][0])<<4|uint64(w.old[r][1])<<8|uint64(w.ancient[r])<<12|uint64(w.drifted[r])<<14, 16)
	}
	first, second := w.late[0], w.late[1]
	b.put(uint64(min(first, second))|uint64(max(first, second))<<16, 32)
	for i := range w.process {
		b.put(uint64(w.process[i].stage)|uint64(w.process[i].pass)<<4, 24)
		b.bool(w.process[i].current)
	}
	b.bool(w.two)
	return b.p
}

func unpack(p packed) world {
	b, w := packer{p: p}, world{}
	w.class, w.formerClass = tagset(b.get(4)), tagset(b.get(4))
	w.changes, w.faults = uint8(b.get(2)), uint8(b.get(4))
	w.record, w.formerRecord = recordID(b.get(16)), recordID(b.get(16))
	w.vm, w.ready, w.known, w.running = b.flag(), b.flag(), b.flag(), b.flag()
	w.ability, w.revision = uint8(b.get(2)), uint8(b.get(1))
	w.processing = b.flag()
	for r := range resources {
		w.live[r], w.old[r][0], w.old[r][1] = tagset(b.get(4)), tagset(b.get(4)), tagset(b.get(4))
		w.ancient[r], w.drifted[r] = uint8(b.get(2)), uint8(b.get(2))
	}
	w.late[0], w.late[1] = request(b.get(16)), request(b.get(16))
	for i := range w.process {
		w.process[i].stage, w.process[i].pass = stage(b.get(4)), passID(b.get(20))
		w.process[i].current = b.flag()
	}
	w.two = b.flag()
	return w
}
