# For ./configure --enable-rlock-cli: `make` builds the command, too, and `make install` installs it.

rlock_cli = $(MAKE) -C $(srcdir)/cli BUILD=$(abspath $(builddir))/build/cli PREFIX=$(prefix) DESTDIR=$(INSTALL_ROOT)

build-rlock-cli:
	$(rlock_cli)

install-rlock-cli: build-rlock-cli
	$(rlock_cli) install

all: build-rlock-cli
install: install-rlock-cli

.PHONY: build-rlock-cli install-rlock-cli
