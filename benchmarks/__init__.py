"""Compare kappamax with other packages: right answers and speed; and measure the coverage of intervals."""
