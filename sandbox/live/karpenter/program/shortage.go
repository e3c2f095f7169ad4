package main

import (
	"sync"
	"time"

	"k8s.io/utils/clock"
)

// shortage remembers what the provider does not ask for at the moment.
type shortage struct {
	clock clock.Clock
	lock  sync.Mutex
	until map[string]time.Time
}

func newShortage(clock clock.Clock) *shortage {
	return &shortage{clock: clock, until: map[string]time.Time{}}
}

func (s *shortage) of(machine, purchase string) bool {
	s.lock.Lock()
	defer s.lock.Unlock()
	return s.clock.Now().Before(s.until[machine+"/"+purchase])
}

func (s *shortage) mark(machine, purchase string, pause time.Duration) {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.until[machine+"/"+purchase] = s.clock.Now().Add(pause)
}
