// Package fault describes faults as data, plans them at random, and makes them
// happen in a simulated system.
//
// A [Fault] says what happens, to whom, when and for how long. Faults come
// from three places: a script written by hand, random [Rules] planned for a
// seed by [Plan], or a recorded [Schedule]. An [Injector] arms a list of them
// in a run; from there on all three are alike, which is why a schedule can be
// edited and replayed.
//
// # Rules
//
// [Plan] draws, for each seed, which rules are on and how strongly (swarm
// testing), and then every fault of the run, before its first event. What a
// rule draws depends on its name and the seed only; what a fault draws, on its
// identity and the seed only. Taking a rule or a fault away leaves all others
// as they were.
//
// The rules of [Default] are what a replicated system should survive, and those
// of [Streams] are for one whose nodes talk by connections. With
// [Options.Budget] a fault that would leave no majority of the group "servers"
// up and connected is skipped. At [Options.Quiet] every fault ends, every node
// comes back, and what faults hold up on the network has arrived, so that
// liveness can be asked for.
//
// # Targets
//
// A fault hits the nodes that it names, or draws some from a group when it
// fires, optionally only from those that have a role at that moment, such as
// leader. A node on which the fault would change nothing (a crash of a node
// that is down) is not drawn. The names that were hit are part of the record.
//
// # Triggers
//
// Instead of at a time a fault can fire at a named point in a node's code, or
// before or after the n-th matching disk operation or message. It then happens
// within the event that reached the trigger: a crash there leaves what the code
// had done so far, and nothing of what comes after. Or it fires after the event
// that makes a predicate over the cluster true, see [Injector.State].
//
// # Accounting
//
// Each fault ends as fired (it changed something), inert (it changed nothing),
// skipped, or without a target; [Kind] says for each kind what inert means.
// A run whose faults were all inert has tested nothing.
//
// # Replay
//
// A [Schedule] holds the faults with what became of them, and the choices that
// the network and the disks made against their default: drops, copies, delays,
// failed syncs, what a crash kept. A run that is given the unedited schedule of
// another run of the same code, with its seed, has the same trace hash. In an
// edited one everything that is left happens as it did, as far as the system
// still gets there.
//
// # Limits
//
// Triggers do not repeat: a fault fires once. The budget knows the servers
// that faults took out, not those that crashed by themselves. Faults on the
// memory or the processor of a node are not modelled, but that it is slow.
package fault
