package etcdraft

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/fault"
	"github.com/hmdsefi/faultline/kernel"
	"go.etcd.io/raft/v3/raftpb"
)

// defect is a hazard of unmodified raft, turned on, and what it breaks.
type defect struct {
	name  string // of the field of Hazards
	check string // that fails
	cfg   Config
}

func defects() []defect {
	tuned := func(cfg Config, tune func(m *Mode)) Config {
		cfg.Tune = func(m *Mode) {
			m.LongValues, m.Updates, m.Overtaken = 0, false, 0
			m.ApplyOne, m.ReadyDelay = false, 0
			tune(m)
		}
		return cfg
	}
	servers := fault.Target{Group: "servers"}
	apart := fault.Rules{ // terms run ahead, and options are drawn anew
		{Kind: fault.Isolate, Every: time.Second, For: fault.Span{Min: 500 * time.Millisecond, Max: 4 * time.Second}, Target: servers},
		{Kind: fault.Kill, Every: 2 * time.Second, For: fault.Span{Min: 20 * time.Millisecond, Max: 500 * time.Millisecond}, Target: servers},
	}
	blinks := fault.Rules{
		{Kind: fault.Isolate, Every: 60 * time.Millisecond, For: fault.Span{Min: 10 * time.Millisecond, Max: 60 * time.Millisecond}, Target: servers},
	}
	crashes := fault.Rules{
		{Kind: fault.PowerLoss, Every: 500 * time.Millisecond, For: fault.Span{Min: 20 * time.Millisecond, Max: 300 * time.Millisecond}, Target: servers, Profiles: []string{"lose-all"}},
	}
	rare := fault.Rules{
		{Kind: fault.PowerLoss, Every: 1500 * time.Millisecond, For: fault.Span{Min: 20 * time.Millisecond, Max: 100 * time.Millisecond}, Target: servers, Profiles: []string{"lose-all"}},
	}
	away := fault.Rules{ // a transfer to it lasts an election timeout
		{Kind: fault.Isolate, Every: 200 * time.Millisecond, For: fault.Span{Min: time.Second, Max: 3 * time.Second}, Target: fault.Target{Nodes: []string{"n2"}}},
	}
	return []defect{
		{"EagerSnapshots", checkConf, tuned(Config{Membership: true, NoAdmin: true, Clients: 2, Workload: changeOften, Faults: apart}, func(m *Mode) {
			m.Hazards.EagerSnapshots = true
			m.SnapshotEvery, m.Retain, m.ApplyDelay = 5, 0, 30*time.Millisecond
		})},
		{"BareElections", "P22 the cluster comes to rest", tuned(Config{Membership: true, Faults: apart}, func(m *Mode) {
			m.Hazards.BareElections = true
			m.PreVote, m.CheckQuorum, m.Rolling = false, false, false
		})},
		{"StepDown", "P22 a leader is there", tuned(Config{Nodes: 2, Membership: true, NoAdmin: true, Clients: 2, Workload: removeLeader, Faults: blinks}, func(m *Mode) {
			m.Hazards.StepDown, m.Hazards.RemoveLeader, m.StepDownOnRemoval = true, true, true
		})},
		{"RemoveLeader", checkReadIndex, tuned(Config{Nodes: 3, Membership: true, NoAdmin: true, Clients: 2, Workload: removeLeaders, Faults: crashes}, func(m *Mode) {
			m.Hazards.RemoveLeader, m.Hazards.SingleVoterReads = true, true
		})},
		{"SingleVoterReads", checkReadIndex, tuned(Config{Nodes: 1, Clients: 3}, func(m *Mode) { m.Hazards.SingleVoterReads = true })},
		{"ForgottenReads", "P22 the cluster comes to rest", tuned(Config{Nodes: 2, Membership: true, NoAdmin: true, Clients: 2, Workload: shrinkToOne}, func(m *Mode) {
			m.Hazards.ForgottenReads, m.Silent, m.Async, m.ReadRetry = true, true, false, 0
		})},
		{"LastVoter", "P22 a leader is there", tuned(Config{Nodes: 2, Membership: true, NoAdmin: true, Clients: 2, Workload: demoteOften, Faults: crashes}, func(m *Mode) {
			m.Hazards.LastVoter, m.Async, m.AppendDelay = true, true, 120*time.Millisecond
		})},
		{"LostAutoLeave", "P22 the cluster comes to rest", tuned(Config{Membership: true, Clients: 1, NoAdmin: true, Workload: changeInTransfer, Faults: away}, func(m *Mode) {
			m.Hazards.LostAutoLeave, m.Silent = true, true
			m.Async, m.AppendDelay, m.ApplyDelay = true, 30*time.Millisecond, 30*time.Millisecond
		})},
		{"MixedOptions", "P22 the cluster comes to rest", tuned(Config{Faults: apart}, func(m *Mode) {
			m.Hazards.MixedOptions, m.Rolling, m.Silent = true, true, false
		})},
		{"EarlyCandidate", "P1 one leader per term", tuned(Config{Faults: rare}, func(m *Mode) {
			m.Hazards.EarlyCandidate, m.Async, m.AppendDelay = true, true, 120*time.Millisecond
		})},
	}
}

// changeInTransfer enters a joint configuration and asks for a transfer to n2 at
// once, shortly before the faults are over. There are no other entries.
func changeInTransfer(s *Session) {
	c := s.Cluster()
	quiet, _ := c.World().QuietAt()
	for c.World().Sim().Now() < kernel.Time(quiet-150*time.Millisecond) {
		s.Sleep(10 * time.Millisecond)
	}
	leader, ok := c.Leader()
	if !ok || leader.ID() == 2 {
		return
	}
	name := leader.Node().Name()
	s.Send(name, AdminRequest{What: "change", Change: &raftpb.ConfChangeV2{
		Transition: raftpb.ConfChangeTransitionJointImplicit.Enum(),
		Changes:    []*raftpb.ConfChangeSingle{{Type: raftpb.ConfChangeAddLearnerNode.Enum(), NodeId: new(uint64(4))}},
	}})
	s.Sleep(8 * time.Millisecond)
	s.Send(name, AdminRequest{What: "transfer", Target: 2})
}

// shrinkToOne removes the follower of two nodes while it reads, shortly before
// the faults are over.
func shrinkToOne(s *Session) {
	c := s.Cluster()
	quiet, _ := c.World().QuietAt()
	for !c.resting() {
		leader, ok := c.Leader()
		late := c.World().Sim().Now() >= kernel.Time(quiet-200*time.Millisecond)
		if late && ok && len(c.Conf().GetVoters()) == 2 {
			ask(s, raftpb.ConfChangeTransitionAuto, raftpb.ConfChangeRemoveNode, 3-leader.ID())
		}
		op := KVOp{Kind: "get", Key: "x"}
		call := s.Invoke(op.Kind, op)
		if result, ok := s.Read(call, op.Encode(), ByReadIndex); ok {
			call.OK(string(result))
		} else {
			call.Unknown("no answer")
		}
	}
}

// demoteOften writes, and makes a learner of the follower of two nodes and a voter
// again.
func demoteOften(s *Session) {
	for n := 0; ; n++ {
		if leader, ok := s.Cluster().Leader(); ok && n%4 == 0 {
			kind := raftpb.ConfChangeAddLearnerNode
			if len(s.Cluster().Conf().GetVoters()) == 1 {
				kind = raftpb.ConfChangeAddNode
			}
			ask(s, raftpb.ConfChangeTransitionAuto, kind, 3-min(leader.ID(), 2))
		}
		s.readAndWrite()
	}
}

// ask sends the leader a change of its configuration.
func ask(s *Session, how raftpb.ConfChangeTransition, kind raftpb.ConfChangeType, id uint64) {
	if leader, ok := s.Cluster().Leader(); ok {
		s.Send(leader.Node().Name(), AdminRequest{What: "change", Change: &raftpb.ConfChangeV2{
			Transition: how.Enum(), Changes: []*raftpb.ConfChangeSingle{{Type: kind.Enum(), NodeId: new(id)}},
		}})
	}
}

// changeOften reads, writes, and lets node 4 come and go through joint
// configurations.
func changeOften(s *Session) {
	for n := 0; ; n++ {
		ask(s, raftpb.ConfChangeTransitionJointImplicit, []raftpb.ConfChangeType{raftpb.ConfChangeAddNode, raftpb.ConfChangeRemoveNode}[n/8%2], 4)
		s.readAndWrite()
	}
}

// removeLeaders reads, writes, and removes and adds nodes until one voter is
// left, the leader among them.
func removeLeaders(s *Session) {
	for n := 0; ; n++ {
		voters := s.Cluster().Conf().GetVoters()
		leader, ok := s.Cluster().Leader()
		switch id := uint64(1 + s.Rand().IntN(3)); {
		case n%4 != 0 || !ok:
		case len(voters) == 2:
			ask(s, raftpb.ConfChangeTransitionAuto, raftpb.ConfChangeRemoveNode, leader.ID())
		case len(voters) == 1:
			ask(s, raftpb.ConfChangeTransitionAuto, raftpb.ConfChangeAddNode, id)
		default:
			ask(s, raftpb.ConfChangeTransitionAuto, raftpb.ConfChangeRemoveNode, id)
		}
		s.readAndWrite()
	}
}

// readAndWrite makes one operation of each sort.
func (s *Session) readAndWrite() {
	s.kv(KVOp{Kind: "get", Key: "x"}, map[string]string{})
	s.kv(KVOp{Kind: "put", Key: "x", Value: "v"}, map[string]string{})
	s.Sleep(time.Duration(s.Rand().Int64N(int64(20 * time.Millisecond))))
}

// removeLeader writes, and asks the leader shortly before the faults are over to
// remove itself, which leaves one voter.
func removeLeader(s *Session) {
	c := s.Cluster()
	quiet, _ := c.World().QuietAt()
	for asked := false; ; s.Sleep(5 * time.Millisecond) {
		leader, ok := c.Leader()
		late := c.World().Sim().Now() >= kernel.Time(quiet-200*time.Millisecond)
		if late && !asked && ok && len(c.Conf().GetVoters()) == 2 {
			asked = true
			s.Send(leader.Node().Name(), AdminRequest{What: "change", Change: &raftpb.ConfChangeV2{
				Changes: []*raftpb.ConfChangeSingle{{Type: raftpb.ConfChangeRemoveNode.Enum(), NodeId: new(leader.ID())}},
			}})
		}
		op := KVOp{Kind: "put", Key: "x", Value: "v"}
		call := s.Invoke(op.Kind, op)
		if result, ok := s.Write(call, op.Encode()); ok {
			call.OK(string(result))
		} else {
			call.Unknown("no answer")
		}
	}
}

var defectSeeds = flag.Int("raft.defects", 200, "how many seeds TestDefect searches")

// TestDefect runs a cluster with a hazard of raft turned on.
func TestDefect(t *testing.T) {
	name := os.Getenv("RAFT_DEFECT")
	if name == "" {
		t.Skip("fails by intention; RAFT_DEFECT=StepDown runs it, or another field of Hazards")
	}
	for _, d := range defects() {
		if d.name == name {
			opt := options()
			opt.Seeds = *defectSeeds
			Test(t, d.cfg, opt)
		}
	}
}

// The schedule that is kept for each hazard makes unmodified raft fail as the
// hazard says.
func TestDefectSchedules(t *testing.T) {
	if testing.Short() {
		t.Skip("runs a process for each hazard")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range defects() {
		t.Run(d.name, func(t *testing.T) {
			schedule, err := filepath.Abs(filepath.Join("testdata", "defects", d.name+".json"))
			if err != nil {
				t.Fatal(err)
			}
			run := exec.Command(self, "-test.run=^TestDefect$")
			run.Env = append(os.Environ(), "RAFT_DEFECT="+d.name, "FAULTLINE_SCHEDULE="+schedule, "FAULTLINE_ARTIFACTS=off", "FAULTLINE_SHRINK=off")
			out, err := run.CombinedOutput()
			if err == nil || !strings.Contains(string(out), `"`+d.check+`" failed`) {
				t.Errorf("the schedule should break %q:\n%s", d.check, out)
			}
		})
	}
}
