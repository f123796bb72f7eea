safe: AG(x < 3)
mutex(p.critical, q.critical)
