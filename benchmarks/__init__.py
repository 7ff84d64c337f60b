"""Compare kappamax with other packages: right answers, speed, and coverage of its intervals."""
