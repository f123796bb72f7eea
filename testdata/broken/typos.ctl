# What must hold of every election.
let leads = leader > 0
safe: AG(leads -> up & )
live: AF leads && up)
EF (leads U up)
AG leader * leader < 4
AG(role < 3)
