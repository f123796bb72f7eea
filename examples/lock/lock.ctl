# What must be true of the lock, whatever the order of events that are not ordered.
exclusive: mutex(alice.writes, bob.writes)
served: AG(bob.waits -> AF bob.writes)
