mod debian/rlock.ini
