# The commands of this project; `make` alone explains them.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.ONESHELL:
.DELETE_ON_ERROR:
.SUFFIXES:
.NOTPARALLEL:
MAKEFLAGS += --no-builtin-rules --no-print-directory
# Python keeps what it has compiled, whatever a machine says: each process would else compile all
# tests again.
unexport PYTHONDONTWRITEBYTECODE

SWIFT ?= swift
# Where `make run` listens; without it on 127.0.0.1:7450, or on a free port if that is taken.
ADDRESS ?=
# Where `make run` keeps the rows: folder, or postgresql for two servers on a database of their own.
STORE ?= folder
# Where the figures beside other servers go, and further options of `relationbench peers`.
FIGURES ?= .build-peers
PEERS_OPTIONS ?=
# Further options of Benchmarks/clients/clients.py, such as `--part tls`.
CLIENTS_OPTIONS ?=
# How many friendships the store has that `bench-clients` starts a server over.
START_FRIENDSHIPS ?= 1M
# Further options of `relationbench growth`, such as `--size 1M --size 5M`.
GROWTH_OPTIONS ?=
# Further options of `make standby-rates`, such as `--reads 5000`.
STANDBY_OPTIONS ?=
# Further options of `make move-rates`, such as `--rate 5000`.
MOVE_OPTIONS ?=
# The parts of `make table-size`, and its options, such as `sizes far --in-flight 1024`.
TABLE_OPTIONS ?=
VENV := .build-python
# Where `make install` puts what it installs; DESTDIR is a root before it, for those who pack it.
PREFIX ?= /usr/local
DESTDIR ?=
# The version that Package.swift says; RELATION_VERSION builds another one.
VERSION = $(or $(RELATION_VERSION),$(shell sed -n \
    's/.*"RELATION_VERSION"\] ?? "\(.*\)"$$/\1/p' Package.swift))
# Programs that need no toolchain on the machine that runs them, with symbols that can be taken off.
# They hold no path of the build, neither in a message nor in debug information.
WITHOUT_PATHS := -Xcc '-ffile-prefix-map=$(CURDIR)=.' \
    -Xswiftc -file-prefix-map -Xswiftc '$(CURDIR)=.' \
    -Xswiftc -enable-upcoming-feature -Xswiftc ConciseMagicFile \
    -Xswiftc -Xfrontend -Xswiftc -no-clang-module-breadcrumbs
# Nothing of a loaded program that the loader has written stays writable.
HARDENED := -Xlinker -z -Xlinker relro -Xlinker -z -Xlinker now
STATIC_BUILD := -c release --static-swift-stdlib --scratch-path .build-deb $(WITHOUT_PATHS) $(HARDENED)
DESCRIPTORS := Sources/RelationService/relation.binpb
DESCRIPTION := Sources/ContractText/contract.zz
CALL_LISTS := Sources/RelationAPI/ServiceTable+Calls.swift
SWIFT_SOURCES := Sources Tests Benchmarks Examples/Chat Examples/Swift Package.swift
# The contract, and what it has promised: the state that clients out there were made from.
PROTO ?= proto
RELEASED := proto/released.binpb

# What sanitizers look at, and what is built for that and for nothing else.
MINUTES ?= 4
MUTATIONS ?= 20
MUTATIONS_SEED ?= 1
CROWD_SECONDS ?= 120
HOOK_EVENTS ?= 1000000
HOOK_KILLS ?= 100
HOOK_SHARED_EVENTS ?= 200000
HOOK_SHARED_KILLS ?= 20
HOOK_SHARED_SLEEPS ?= 6
FAILOVERS ?= 100
CUTS ?= 500
FLEET_MINUTES ?= 60
LONGEST_ROUNDS ?= 10
TRIAL_USERS ?= 1000
TRIAL_FRIENDS ?= 10
TRIAL_SECONDS ?= 10
CODES_PER_CASE ?= 20
# How many of the Swift tests run at a time.
TEST_WIDTH ?= 8
# How many minutes the Swift tests may take until those that have not ended are named.
TEST_MINUTES ?= 30
# How many processes run the tests in Python: these often wait.
TEST_WORKERS ?= 6
# A folder of built programs, as `make programs` leaves it, for `make deb`, `tar`, `image`, `release`.
PROGRAMS ?=
BUILT = $(or $(PROGRAMS),.build-deb/release)
# The parts of a release, of those that Packaging/release names; all without it.
PARTS ?=
# The clients that `make clients` builds, such as `python go`; all without it.
LANGUAGES ?=
# How CI builds (BUILD=once): everything in one optimised build, which runs the Swift tests, the tests
# in Python and the count of instructions. The tests themselves are not optimised (Package.swift).
# Without it the tests are in a debug build, which is faster to change and make again.
BUILD ?=
BUILD_FLAGS := $(if $(filter once,$(BUILD)),-c release -Xswiftc -enable-testing -Xswiftc -gnone)
export RELATION_BUILD := $(BUILD)
TESTS_PROGRAM := relation-chainPackageTests.xctest
BYTES_TESTS := CompressionTests,FuzzTests,GRPCTests,HTTP2Tests,MemoryTests,ProtobufTests,RelationAccessTests
# A PostgreSQL of its own, on loopback, which ends when the shell does: its input ends then.
BEGIN_POSTGRES = coproc postgres { exec python3 Tests/Python/postgres.py; }; \
    read -r RELATION_POSTGRES <&"$${postgres[0]}"; export RELATION_POSTGRES

# Ends it, and waits until its folder is gone. Without this last line the shell would become the
# program of the line before, and the input of the database would end too early.
END_POSTGRES = [[ -z $${postgres_PID:-} ]] || \
    { eval "exec $${postgres[1]}>&-"; wait "$$postgres_PID" || true; }

# LibFuzzer's `main` takes the place of that of the tests; gold ends with an error of its own.
FUZZER := --sanitize=address --sanitize=fuzzer -Xswiftc -use-ld=lld -Xlinker -z -Xlinker muldefs \
    --scratch-path .build-fuzz

# What a command needs from Debian: the compilers and libraries, the tests' tools, the profiler.
BUILD_PACKAGES := libprotobuf-c-dev libnghttp2-dev librocksdb-dev libpq-dev libicu-dev \
    libssl-dev zlib1g-dev pkg-config python3
TEST_PACKAGES := $(BUILD_PACKAGES) chromium chromium-driver chromium-headless-shell curl fish \
    grpc-proto haproxy nginx nlohmann-json3-dev pgbouncer postgresql prometheus \
    python3-venv strace zsh
# Managers of clusters, each with what it needs, and what makes machines.
FAILOVER_PACKAGES := $(TEST_PACKAGES) etcd-server gcc iproute2 patroni pg-auto-failover-cli \
    postgresql-15-auto-failover python3-etcd util-linux
PROXY_PACKAGES := $(TEST_PACKAGES) apache2-bin caddy libfaketime
LINT_PACKAGES := node-typescript python3
BENCH_PACKAGES := $(BUILD_PACKAGES) valgrind libc6-dbg binutils util-linux
DEB_PACKAGES := $(BUILD_PACKAGES) binutils dpkg-dev python3
TAR_PACKAGES := $(DEB_PACKAGES) patchelf
IMAGE_PACKAGES := $(DEB_PACKAGES) debootstrap umoci
# What proves the packages: a clean root, the looks of systemd and of Debian at them, and of the
# bill's form.
PACKAGES_PACKAGES := $(TAR_PACKAGES) $(IMAGE_PACKAGES) systemd man-db strace python3-venv lintian
# The servers beside which ours is measured, and what builds them.
PEER_PACKAGES := gcc g++ pkg-config nghttp2-server libnghttp2-dev libgrpc++-dev protobuf-compiler \
    protobuf-compiler-grpc protoc-gen-go protoc-gen-go-grpc golang-go golang-google-grpc-dev \
    golang-google-genproto-dev golang-google-protobuf-dev golang-github-golang-protobuf-1-5-dev \
    redis-server liblmdb-dev postgresql
# The real clients that load ours, what serves HTTP beside it, and what says where time goes.
REAL_CLIENT_PACKAGES := $(PEER_PACKAGES) default-jdk-headless libgrpc-java libguava-java \
    libperfmark-java libgeronimo-annotation-1.3-spec-java libnetty-java libnetty-tcnative-java \
    libnetty-tcnative-jni wrk linux-perf util-linux
# Of Debian's two versions of Go's protobuf the older one does not know what protoc-gen-go makes.
FOREIGN_PACKAGES := g++ grpc-proto libcpp-httplib-dev libgrpc++-dev protobuf-compiler-grpc \
    pkg-config protobuf-compiler protoc-gen-go protoc-gen-go-grpc golang-go golang-google-grpc-dev \
    golang-google-genproto-dev golang-google-protobuf-dev golang-github-golang-protobuf-1-5-dev \
    nlohmann-json3-dev ruby-grpc-tools php-cli php-curl php-bcmath php-google-protobuf nodejs \
    default-jdk-headless protobuf-compiler-grpc-java-plugin libgrpc-java libprotobuf-java \
    libnetty-java libguava-java libgoogle-gson-java libperfmark-java \
    libgeronimo-annotation-1.3-spec-java junit5
# What builds the packages of clients, and installs them: also from repositories of Debian's.
CLIENT_PACKAGES := $(FOREIGN_PACKAGES) node-typescript npm maven libmaven-compiler-plugin-java \
    libmaven-resources-plugin-java libnetty-tcnative-java libnetty-tcnative-jni mono-mcs \
    libmono-system-net-http4.0-cil

# The commands of every day, which `make` names before the others.
EVERYDAY := run test lint format contract docs slowtest bench-check deb clean

.PHONY: help
help: ## Print this list
	@awk -F ':.*## ' -v everyday='$(EVERYDAY)' '
	    /^[a-z-]+:.*## / { about[$$1] = $$2; order[++count] = $$1 }
	    function show(name) { printf "  make %-14s %s\n", name, about[name]; delete about[name] }
	    END {
	        print "Every day:"
	        days = split(everyday, names, " ")
	        for (day = 1; day <= days; day++) show(names[day])
	        print "\nNow and then:"
	        for (place = 1; place <= count; place++) if (order[place] in about) show(order[place])
	    }' $(MAKEFILE_LIST)

.PHONY: run
run: $(if $(filter postgresql,$(STORE)),test-packages,build-packages) ## Build, and serve the sample graph on 127.0.0.1:7450; STORE=postgresql for two servers
	@python3 Tests/Python/console_files.py
	$(SWIFT) build -c release --product relationd
	$(SWIFT) build -c release --product relationctl
	if [[ '$(STORE)' == postgresql ]]; then exec python3 Tests/Python/shared_run.py; fi
	bin=.build/release
	# A folder whose import did not come to its end, or in an older format, is begun again.
	test -e .build-run/loaded-6 || rm -rf .build-run
	mkdir -p .build-run
	exec {lines}< <(exec "$$bin/relationd" serve $(if $(ADDRESS),--listen $(ADDRESS)) --data .build-run/data --insecure)
	server=$$!
	trap 'kill -TERM "$$server" 2> /dev/null || true' INT TERM
	trap 'kill -TERM "$$server" 2> /dev/null && wait "$$server" || true' EXIT
	ready=''
	read -r ready <&"$$lines" || true
	if [[ $$ready != 'listening on '* ]]; then wait "$$server"; exit 1; fi
	echo "$$ready"
	read -r metrics <&"$$lines"
	echo "$$metrics"
	console="$${metrics#metrics on }"
	echo "console on $${console%metrics}"
	ctl=("$$bin/relationctl" --server "$${ready#listening on }")
	if ! test -e .build-run/loaded-6; then
	    python3 Tests/Python/sample.py "$${ctl[@]}"
	    touch .build-run/loaded-6
	fi
	echo
	echo 'Try, from another terminal:'
	echo "  $${ctl[*]} methods"
	echo "  $${ctl[*]} call ListFriends '{\"user_id\": \"0\", \"page_size\": 5}'"
	echo "  $${ctl[*]} call CheckFriends '{\"user_id\": \"0\", \"user_ids\": [\"1\", \"4038\"]}'"
	echo "  $${ctl[*]} watch 0"
	echo "  curl -s http://$${ready#listening on }/relation.v1.FriendService/CheckFriends \\"
	echo "    -H 'content-type: application/json' -d '{\"userId\": \"0\", \"userIds\": [\"1\"]}'"
	echo
	echo 'Ctrl-C stops the server; what it holds stays in .build-run/data.'
	# The first wait ends with the signal, the second with the server.
	wait "$$server" || wait "$$server"

.PHONY: test
test: test-packages ## Build, and run all tests
	@$(MAKE) venv & packages=$$!
	$(SWIFT) build --build-tests $(BUILD_FLAGS)
	wait "$$packages"
	# All tests at once would leave a caller without a turn for minutes; older toolchains only know
	# that way.
	width=--experimental-maximum-parallelization-width
	if $(SWIFT) test --help-hidden | grep -- "$$width" > /dev/null; then
	    set -- "$$width" $(TEST_WIDTH)
	fi
	bin="$$($(SWIFT) build --show-bin-path $(BUILD_FLAGS))"
	export RELATIOND="$$bin/relationd" RELATIONCTL="$$bin/relationctl"
	export RELATION_INTEROP="$$bin/relation-interop" RELATION_INTEROP_CLIENT="$$bin/relation-interop-client"
	export EXAMPLE_CHAT="$$bin/example-chat" EXAMPLE_SWIFT="$$bin/example-swift"
	export CONTRACT_RUNNER="$$bin/contract-runner"
	# Python compiles its tests once before several processes need them.
	$(VENV)/bin/python -m pytest Tests/Python --collect-only -qq > /dev/null 2>&1 & collects=$$!
	$(BEGIN_POSTGRES)
	# With fixed hashes a seed of a simulation runs in another process as it ran in this one.
	SWIFT_DETERMINISTIC_HASHING=1 python3 Tests/Python/bounded.py $(TEST_MINUTES) \
	    $(SWIFT) test --skip-build --disable-xctest $(BUILD_FLAGS) "$$@" || failed=1
	wait "$$collects" || true
	# Several processes share the files among them. What compares shares of the machine, and what
	# looks back at the answers to all others, comes after them by itself. Meanwhile `BESIDE` counts
	# instructions, which do not depend on what else the machine does; the tests wait often.
	export ANSWERS="$$(mktemp -d)"
	trap 'rm -rf "$$ANSWERS"' EXIT
	beside="$$ANSWERS/beside.log"
	$(MAKE) --no-print-directory $(or $(BESIDE),--version) > "$$beside" 2>&1 & besides=$$!
	$(VENV)/bin/python -m pytest Tests/Python -m 'not (alone or last)' \
	    --numprocesses $(TEST_WORKERS) --dist loadfile --no-loadscope-reorder || failed=1
	wait "$$besides" || failed=1
	$(if $(BESIDE),cat "$$beside"; echo "Beside the tests: make $(BESIDE)";) rm "$$beside"
	$(VENV)/bin/python -m pytest $$(grep -lE 'mark\.(alone|last)' Tests/Python/test_*.py) \
	    -m 'alone or last' || failed=1
	$(END_POSTGRES)
	[[ -z $${failed:-} ]]

.PHONY: slowtest
slowtest: venv foreign-packages ## Run as many of the long tests as SLOWTEST_MINUTES=20 allow
	@python3 Tests/Python/slowtest.py

.PHONY: asan
asan: venv ## Run the tests of the codec, the wire, the client, the credentials under AddressSanitizer
	@export RELATION_TESTS=$(BYTES_TESTS),RelationClientTests ASAN_OPTIONS=detect_leaks=0
	$(SWIFT) test --sanitize=address --scratch-path .build-asan --disable-xctest

.PHONY: fuzz
fuzz: build-packages ## Try each parser of untrusted bytes with new inputs for FUZZ_SECONDS=20
	@export RELATION_FUZZER=1 RELATION_TESTS=FuzzTests
	$(SWIFT) build --build-tests $(FUZZER)
	python3 Tests/Python/fuzz.py "$$($(SWIFT) build --show-bin-path $(FUZZER))/$(TESTS_PROGRAM)"

.PHONY: tsan
tsan: build-packages ## Run callers of all kinds against one server under ThreadSanitizer
	@export RELATION_TESTS=RaceTests RELATION_TSAN=1 TSAN_OPTIONS=halt_on_error=1
	$(SWIFT) test --sanitize=thread --scratch-path .build-tsan --disable-xctest

.PHONY: foreign
foreign: venv foreign-packages bench-packages peer-packages real-client-packages ## Run gRPC's standard cases in C++, all examples, the servers of `peers`, real clients
	@$(SWIFT) build --product relationd
	$(SWIFT) build --product relation-interop
	$(SWIFT) build --product relation-interop-client
	$(SWIFT) build --product relationbench
	$(SWIFT) build --product relationctl
	PYTHONPATH=Tests/Python $(VENV)/bin/python -m pytest -c Tests/Python/pytest.ini Tests/Foreign

.PHONY: contract-tests
contract-tests: venv foreign-packages ## Run the cases of the contract with clients in eight languages
	@$(SWIFT) build --product relationd
	PYTHONPATH=Tests/Python $(VENV)/bin/python -m pytest -c Tests/Python/pytest.ini Tests/Contract
	$(SWIFT) build --product contract-runner
	bin="$$($(SWIFT) build --show-bin-path)"
	RELATIOND="$$bin/relationd" CONTRACT_RUNNER="$$bin/contract-runner" CONTRACT_WEB=whole \
	    $(VENV)/bin/python -m pytest Tests/Python/test_contract_cases.py -k 'protocols or clients'

.PHONY: clients
clients: venv client-packages ## Build packages of clients from the frozen contract in .build-clients
	@$(VENV)/bin/python Packaging/clients/clients.py $(LANGUAGES)

.PHONY: client-tests
client-tests: venv client-packages ## Install each package of a client in a new place, and run the cases with it
	@$(SWIFT) build --product relationd
	PYTHONPATH=Tests/Python $(VENV)/bin/python -m pytest -c Tests/Python/pytest.ini Tests/Clients

.PHONY: dependents
dependents: venv ## Build packages that depend on this one, as its README says
	@$(SWIFT) build --product relationd
	PYTHONPATH=Tests/Python RELATIOND="$$($(SWIFT) build --show-bin-path)/relationd" \
	    $(VENV)/bin/python -m pytest -c Tests/Python/pytest.ini Tests/Dependents
	cat .build-dependents/seconds.txt

.PHONY: scrape
scrape: venv ## Have Prometheus scrape a server, and ask each query of the dashboards
	@$(SWIFT) build --product relationd
	PYTHONPATH=Tests/Python $(VENV)/bin/python -m pytest -c Tests/Python/pytest.ini Tests/Prometheus

.PHONY: proxies
proxies: venv proxy-packages ## Run the contract's cases and streams through nginx, haproxy, Apache and Caddy
	@$(SWIFT) build --product relationd
	RELATIOND="$$($(SWIFT) build --show-bin-path)/relationd" PYTHONPATH=Tests/Python \
	    $(VENV)/bin/python -m pytest -c Tests/Python/pytest.ini Tests/Proxies

.PHONY: simulate
simulate: venv ## Run long random histories with new seeds for MINUTES=4
	@$(SWIFT) build --build-tests
	$(BEGIN_POSTGRES)
	end=$$((SECONDS + 60 * $(MINUTES)))
	while :; do
	    seed=$$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')
	    result=passed counts='steps=4000 power_cuts=100'
	    RELATION_SEED=$$seed RELATION_STEPS=2000 POWER_CUTS=100 $(SWIFT) test --skip-build \
	        --disable-xctest --filter 'SimulationTests|RaceTests|aPowerCutThatLost' \
	        --skip WholeSimulationTests || result=failed counts=
	    # The whole service takes new seeds by itself, for a minute of each round.
	    SWIFT_DETERMINISTIC_HASHING=1 RELATION_SECONDS=60 $(SWIFT) test --skip-build --disable-xctest \
	        --filter 'newSeeds(OfSeveralServers)?KeepEveryPromise' | tee .build/whole-simulation.txt \
	        || result=failed counts=
	    histories=$$(sed -n 's/^whole simulation: \([0-9]*\) new seeds, .*/\1/p' \
	        .build/whole-simulation.txt)
	    [[ -z "$$counts" || -z "$$histories" ]] || counts+=" histories=$$histories"
	    shared=$$(sed -n 's/^several servers: \([0-9]*\) new seeds, .*/\1/p' \
	        .build/whole-simulation.txt)
	    [[ -z "$$counts" || -z "$$shared" ]] || counts+=" shared_histories=$$shared"
	    if [[ -n "$$LEDGER" ]]; then
	        $(VENV)/bin/python Tests/Python/ledger.py 'simulate: random histories' $$seed $$result \
	            $$counts
	    fi
	    [[ $$result == passed ]]
	    ((SECONDS < end)) || break
	done
	$(END_POSTGRES)

.PHONY: mutations
mutations: build-packages ## Put old faults back, and have the simulation look for each; FAULTS='half-pair' takes some
	@python3 Tests/Python/mutations.py $(FAULTS)

.PHONY: random-mutations
random-mutations: build-packages ## Change MUTATIONS=20 conditions by chance, and have the simulation look for each; MUTATIONS_SEED=1
	@python3 Tests/Python/mutations.py --random $(MUTATIONS_SEED) $(MUTATIONS)

.PHONY: replay
replay: build-packages ## Run one history of the whole service again, and tell it: SEED=18, or SHARED_SEED=18 for several servers
	@if [[ -z "$(SEED)$(SHARED_SEED)" ]]; then echo 'say SEED=n, or SHARED_SEED=n' >&2; exit 2; fi
	SWIFT_DETERMINISTIC_HASHING=1 $(if $(SEED),RELATION_SEED=$(SEED)) \
	    $(if $(SHARED_SEED),RELATION_SHARED_SEED=$(SHARED_SEED)) \
	    RELATION_TESTS=WholeSimulationTests $(SWIFT) test --disable-xctest \
	    --filter '$(if $(SHARED_SEED),SharedSimulation,WholeSimulationTests.WholeSimulation)Tests/everyKnownSeed'

.PHONY: kill
kill: venv ## Kill servers among writes, with new seeds for MINUTES=4
	@$(SWIFT) build --product relationd
	end=$$((SECONDS + 60 * $(MINUTES)))
	while :; do
	    KILL_ROUNDS=50 $(VENV)/bin/python -m pytest Tests/Python \
	        -k 'durability or everything_at_once or mirror or history_kills or move_app'
	    ((SECONDS < end)) || break
	done

.PHONY: failover
failover: venv failover-packages ## Let databases fail over FAILOVERS=100 times, cut connections CUTS=500 times, stop processes, and break machines of MANAGERS='patroni pg_auto_failover', also of a fleet for FLEET_MINUTES=60
	@$(SWIFT) build --product relationd
	RELATIOND="$$($(SWIFT) build --show-bin-path)/relationd" FAILOVERS=$(FAILOVERS) CUTS=$(CUTS) \
	    FLEET_MINUTES=$(FLEET_MINUTES) \
	    $(VENV)/bin/python -m pytest Tests/Python/test_failover.py Tests/Python/test_hung.py \
	    Tests/Python/test_managed.py Tests/Python/test_managed_fleet.py \
	    Tests/Python/test_cut_link.py -s

.PHONY: every-form
every-form: venv client-packages ## Open the form of each call in the console, send what only reads, and compile its code
	@$(SWIFT) build --product relationd
	$(SWIFT) build --product relationctl
	$(SWIFT) build --product example-swift
	$(VENV)/bin/python Packaging/clients/clients.py go java python typescript --contract $(DESCRIPTORS)
	bin="$$($(SWIFT) build --show-bin-path)"
	RELATIOND="$$bin/relationd" RELATIONCTL="$$bin/relationctl" EVERY_FORM=1 WHOLE=1 \
	    EXAMPLE_SWIFT="$$bin/example-swift" \
	    $(VENV)/bin/python -m pytest Tests/Python/test_console_every_form.py

.PHONY: screens
screens: venv ## Write pictures of the console's pages, with a sheet of all, into .build-screens; LAYOUTS=write their trees, DOCUMENTS=write those of docs
	@$(SWIFT) build -c release --product relationd
	$(SWIFT) build -c release --product relationctl
	bin="$$($(SWIFT) build -c release --show-bin-path)"
	RELATIOND="$$bin/relationd" RELATIONCTL="$$bin/relationctl" \
	    $(VENV)/bin/python Tests/Python/screens.py .build-screens $(if $(LAYOUTS),--layouts) $(if $(DOCUMENTS),--documents)

.PHONY: crowd
crowd: venv ## Keep a server busy that has all its connections, for CROWD_SECONDS=120
	@$(SWIFT) build --product relationd
	CROWD_SECONDS=$(CROWD_SECONDS) $(VENV)/bin/python -m pytest Tests/Python -k 'all_its_connections'

.PHONY: hooks
hooks: venv ## Keep a receiver's book of HOOK_EVENTS=1000000 events through HOOK_KILLS=100 kills, then beside two servers
	@$(SWIFT) build -c release --product relationd
	RELATIOND=.build/release/relationd HOOK_EVENTS=$(HOOK_EVENTS) HOOK_KILLS=$(HOOK_KILLS) \
	    $(VENV)/bin/python -m pytest Tests/Python/test_hook_story.py
	HOOK_SHARED_EVENTS=$(HOOK_SHARED_EVENTS) HOOK_SHARED_KILLS=$(HOOK_SHARED_KILLS) \
	    HOOK_SHARED_SLEEPS=$(HOOK_SHARED_SLEEPS) \
	    RELATIOND=.build/release/relationd $(VENV)/bin/python -m pytest \
	    Tests/Python/test_hook_shared_story.py

.PHONY: trial
trial: venv ## Move the app of a stand-in for TIM over while it is in use: TRIAL_USERS=1000, TRIAL_FRIENDS=10 each
	@$(SWIFT) build -c release --product relationd
	$(SWIFT) build -c release --product relationctl
	PYTHONPATH=Tests/Python RELATIOND=.build/release/relationd RELATIONCTL=.build/release/relationctl \
	    TRIAL_USERS=$(TRIAL_USERS) TRIAL_FRIENDS=$(TRIAL_FRIENDS) TRIAL_SECONDS=$(TRIAL_SECONDS) \
	    $(VENV)/bin/python -m pytest -c Tests/Python/pytest.ini -s Tests/Trial

.PHONY: longest
longest: venv ## Drive all settings and calls to their bounds, LONGEST_ROUNDS=10 times by chance
	@$(SWIFT) build --product relationd
	WHOLE=1 LONGEST_ROUNDS=$(LONGEST_ROUNDS) $(VENV)/bin/python -m pytest Tests/Python -k 'is_too_long'

.PHONY: codes
codes: venv ## Change up to CODES_PER_CASE=20 codes in the answers to each case, which must fail
	@$(SWIFT) build --product relationd
	CODES_PER_CASE=$(CODES_PER_CASE) $(VENV)/bin/python -m pytest \
	    Tests/Python/test_contract_worth.py -k changed_code

.PHONY: whole
whole: test-packages venv ## Run in full the tests in Python that `make test` does in part
	@$(SWIFT) build --product relationd
	$(SWIFT) build --product relationctl
	$(SWIFT) build --product example-swift
	WHOLE=1 $(VENV)/bin/python -m pytest $$(grep -l 'some_of(' Tests/Python/test_*.py)

.PHONY: lint
lint: gate check-console check-client ## Check the style of the Swift sources, the scripts in TypeScript, and the contract as `gate` does
	@$(SWIFT) format lint --strict --parallel --recursive $(SWIFT_SOURCES)

.PHONY: check-console
check-console: lint-packages ## Check the types of the console's scripts, and its calls against the contract
	@python3 Tests/Python/console_types.py .build/contract.d.ts
	tsc --project Sources/RelationConsole

.PHONY: check-client
check-client: venv lint-packages ## Compile the client in TypeScript from the frozen contract
	@$(VENV)/bin/python Packaging/clients/clients.py typescript --compile \
	    --out .build/clients > /dev/null

.PHONY: console-files
console-files: ## List the console's files for the program, as `make run` does before it builds
	@python3 Tests/Python/console_files.py

.PHONY: gate
gate: venv ## Check the contract's style, and that no change of it breaks a client
	@$(VENV)/bin/buf lint $(PROTO)
	$(VENV)/bin/buf breaking $(PROTO) --against $(RELEASED)

.PHONY: freeze
freeze: venv ## Promise what the contract says now: it must break no client from before
	@if test -e $(RELEASED); then $(VENV)/bin/buf breaking proto --against $(RELEASED); fi
	$(VENV)/bin/buf build proto --exclude-source-info -o $(RELEASED)

.PHONY: format
format: ## Bring the Swift sources into the project's style
	@$(SWIFT) format --in-place --parallel --recursive $(SWIFT_SOURCES)

.PHONY: contract
contract: gate ## Check the contract, and describe it anew for reflection and for relationctl
	@$(VENV)/bin/python Tests/Python/describe.py $(DESCRIPTORS)
	$(VENV)/bin/python Tests/Python/described.py $(DESCRIPTION)
	$(VENV)/bin/python Tests/Python/call_lists.py $(CALL_LISTS)

.PHONY: docs
docs: build-packages venv ## Write proto/CALLS.md, the contract as OpenAPI and as a page, docs/settings.md, docs/tim.md
	@mkdir -p .build
	$(SWIFT) run relationctl methods --markdown | python3 Tests/Python/call_sources.py > .build/CALLS.md
	mv .build/CALLS.md proto/CALLS.md
	$(SWIFT) run relationd config page > .build/settings.md
	mv .build/settings.md docs/settings.md
	$(VENV)/bin/python Tests/Python/reference_files.py
	python3 Tests/Python/foreign_names.py > docs/tim.md

.PHONY: programs
programs: deb-packages ## Build the programs with Swift's runtime in them, as packages have them
	@python3 Packaging/sbom.py --pins
	for program in relationd relationctl; do $(SWIFT) build $(STATIC_BUILD) --product $$program; done
	SWIFT='$(SWIFT)' python3 Packaging/sbom.py --build .build-deb/release --version $(VERSION) \
	    --bill .build-deb/release/relationd.spdx.json --notices .build-deb/release/relationd.notices
	cp Package.resolved .build-deb/release

.PHONY: deb
deb: $(if $(PROGRAMS),deb-packages,programs) ## Make the Debian packages in .build-deb/packages, and say how large all is
	@Packaging/debian/build $(BUILT) $(VERSION) .build-deb/packages

.PHONY: tar
tar: tar-packages $(if $(PROGRAMS),,programs) ## Make an archive of the programs with their libraries in .build-deb/tar
	@Packaging/tar $(BUILT) $(VERSION) .build-deb/tar

.PHONY: image
image: image-packages deb ## Make an image for containers, as OCI has it, in .build-deb/image; needs root
	@package=.build-deb/packages/relationd_$(subst -,~,$(VERSION))_$$(dpkg --print-architecture).deb
	python3 Packaging/container/image.py "$$package" $(VERSION) .build-deb/image

.PHONY: buf-module
buf-module: venv ## Pack the frozen contract as a module of buf in .build-deb/module
	@Packaging/module $(VERSION) .build-deb/module $(VENV)/bin/buf

.PHONY: chart
chart: ## Pack the Helm chart in .build-deb/chart
	@Packaging/chart $(VERSION) .build-deb/chart

.PHONY: release
release: ## Make all that a release has from the tag vVERSION or from HEAD, in .build-release/VERSION
	@Packaging/release v$(VERSION) $(if $(PROGRAMS),--programs '$(PROGRAMS)') \
	    $(if $(PARTS),--parts '$(PARTS)')

.PHONY: install
install: ## Install what `make programs` built below PREFIX=/usr/local, and /etc/relationd.yaml
	@if [[ ! -e .build-deb/release/relationd.notices ]] && command -v $(SWIFT) > /dev/null; then
	    $(MAKE) programs
	fi
	Packaging/install .build-deb/release $(VERSION) $(PREFIX) $(DESTDIR)

.PHONY: packages
packages: venv packages-packages ## Prove the packages: install, run, upgrade and remove them in a clean Debian
	@PYTHONPATH=Tests/Python $(VENV)/bin/python -m pytest -c Tests/Python/pytest.ini Tests/Packages

.PHONY: platforms
platforms: venv packages-packages ## Try the build, databases of five systems, the archive on four, and write docs/platforms.md; needs root
	@tests=() archive=''
	for part in $(or $(PARTS),build databases archive); do
	    case $$part in
	        build) tests+=(Tests/Platforms/test_build.py) ;;
	        databases) tests+=(Tests/Platforms/test_postgresql.py) ;;
	        archive) archive=Tests/Packages/test_tar.py ;;
	        *) echo "platforms has the parts build, databases and archive, and no $$part" >&2; exit 2 ;;
	    esac
	done
	export PYTHONPATH=Tests/Python PLATFORMS=docs/platforms.json
	# The archive has programs of its own.
	if (($${#tests[@]} > 0)); then
	    $(SWIFT) build --product relationd
	    $(SWIFT) build --product relationctl
	    bin="$$($(SWIFT) build --show-bin-path)"
	    RELATIOND="$$bin/relationd" RELATIONCTL="$$bin/relationctl" \
	        $(VENV)/bin/python -m pytest -c Tests/Python/pytest.ini "$${tests[@]}"
	fi
	if [[ -n $$archive ]]; then
	    $(VENV)/bin/python -m pytest -c Tests/Python/pytest.ini "$$archive"
	fi
	$(MAKE) platforms-page

.PHONY: platforms-page
platforms-page: ## Write docs/platforms.md from the record of what was tried
	@mkdir -p .build
	python3 Tests/Python/platforms.py > .build/platforms.md
	mv .build/platforms.md docs/platforms.md

.PHONY: pages
pages: venv ## Write DocC's pages of the client library into .build/RelationClient.doccarchive
	@$(SWIFT) build --product example-swift
	PYTHONPATH=Tests/Python EXAMPLE_SWIFT="$$($(SWIFT) build --show-bin-path)/example-swift" \
	    $(VENV)/bin/python Tests/Python/guide.py .build/RelationClient.doccarchive

.PHONY: site
site: venv ## Write the project's site into .build-site/site: its pages, the Swift client's, a search
	@archive=.build/RelationClient.doccarchive
	# The pages of the Swift client come from its compiler, which PROGRAMS does without. A program
	# that has no more than the client is built for them.
	if [[ -z '$(PROGRAMS)' ]]; then
	    $(SWIFT) build --product example-swift
	    bin="$$($(SWIFT) build --show-bin-path)"
	    PYTHONPATH=Tests/Python EXAMPLE_SWIFT="$$bin/example-swift" \
	        $(VENV)/bin/python Tests/Python/guide.py "$$archive"
	fi
	$(VENV)/bin/python Packaging/site/site.py .build-site \
	    $(if $(PROGRAMS),,--docc "$$archive")
	echo "Open .build-site/site/index.html, or put the folder on any server of files."

.PHONY: whole-site
whole-site: venv ## Build the site with the pages of all messages, and look at each of its links
	@$(SWIFT) build --product example-swift
	EXAMPLE_SWIFT="$$($(SWIFT) build --show-bin-path)/example-swift" SITE=whole \
	    $(VENV)/bin/python -m pytest Tests/Python/test_site.py

.PHONY: bench
bench: bench-packages peer-packages venv ## Measure the server on this machine, then `make peers`
	@$(SWIFT) build -c release --product relationbench
	"$$($(SWIFT) build -c release --show-bin-path)/relationbench"
	$(MAKE) peers

.PHONY: peers
peers: bench-packages peer-packages venv ## Measure ours beside other servers; FIGURES=docs keeps it
	@$(SWIFT) build -c release --product relationbench
	$(MAKE) --directory Benchmarks/peers
	mkdir -p $(FIGURES)
	"$$($(SWIFT) build -c release --show-bin-path)/relationbench" peers \
	    --figures $(FIGURES) $(PEERS_OPTIONS)

.PHONY: shared
shared: bench-packages peer-packages venv ## Measure servers on PostgreSQL beside a bare client of the same database
	@$(SWIFT) build -c release --product relationbench
	$(SWIFT) build -c release --product relationd
	$(MAKE) --directory Benchmarks/peers postgres
	bin="$$($(SWIFT) build -c release --show-bin-path)"
	"$$bin/relationbench" shared $(SHARED_OPTIONS)
	RELATIOND="$$bin/relationd" $(VENV)/bin/python Tests/Python/shared_latency.py

.PHONY: standby-rates
standby-rates: bench-packages venv ## Measure what reads from two standbys take off the primary; STANDBY_OPTIONS
	@$(SWIFT) build -c release --product relationctl
	$(SWIFT) build -c release --product relationd
	bin="$$($(SWIFT) build -c release --show-bin-path)"
	RELATIOND="$$bin/relationd" RELATIONCTL="$$bin/relationctl" \
	    $(VENV)/bin/python Tests/Python/standby_rates.py $(STANDBY_OPTIONS)

.PHONY: move-rates
move-rates: bench-packages venv ## Measure what the move of an app costs its callers; MOVE_OPTIONS
	@$(SWIFT) build -c release --product relationctl
	$(SWIFT) build -c release --product relationd
	bin="$$($(SWIFT) build -c release --show-bin-path)"
	RELATIOND="$$bin/relationd" RELATIONCTL="$$bin/relationctl" \
	    $(VENV)/bin/python Tests/Python/move_rates.py $(MOVE_OPTIONS)

.PHONY: table-size
table-size: bench-packages venv ## Measure the table on PostgreSQL: bytes, vacuum, pg_repack, slow commits; TABLE_OPTIONS
	@$(SWIFT) build -c release --product relationctl
	$(SWIFT) build -c release --product relationd
	bin="$$($(SWIFT) build -c release --show-bin-path)"
	RELATIOND="$$bin/relationd" RELATIONCTL="$$bin/relationctl" \
	    $(VENV)/bin/python Tests/Python/table_size.py $(TABLE_OPTIONS)

.PHONY: bench-clients
bench-clients: build-packages real-client-packages venv ## Measure with real clients, TLS and JSON, tails, neighbours, a start
	@for product in relationbench relationd relationctl; do
	    $(SWIFT) build -c release --product $$product
	done
	$(MAKE) --directory Benchmarks/peers tls ../../.build-peers/c-server
	$(MAKE) --directory Benchmarks/clients
	bin="$$($(SWIFT) build -c release --show-bin-path)"
	export RELATIOND="$$bin/relationd" RELATIONCTL="$$bin/relationctl"
	$(VENV)/bin/python Benchmarks/clients/big_store.py "$$bin/relationbench" \
	    $(START_FRIENDSHIPS) .build-peers/big
	$(VENV)/bin/python Benchmarks/clients/clients.py --figures $(FIGURES) \
	    --data .build-peers/big/data --graph .build-peers/big/graph.txt $(CLIENTS_OPTIONS)

.PHONY: bench-growth
bench-growth: build-packages ## Measure graphs of up to 20 million friendships; FIGURES=docs keeps it
	@$(SWIFT) build -c release --product relationbench
	$(SWIFT) build -c release --product relationctl
	mkdir -p $(FIGURES)
	"$$($(SWIFT) build -c release --show-bin-path)/relationbench" growth \
	    --figures $(FIGURES) $(GROWTH_OPTIONS)

.PHONY: bench-followers
bench-followers: build-packages venv ## Measure calls about a user with up to 10 million followers
	@$(SWIFT) build -c release --product relationd
	$(SWIFT) build -c release --product relationctl
	bin="$$($(SWIFT) build -c release --show-bin-path)"
	RELATIOND="$$bin/relationd" RELATIONCTL="$$bin/relationctl" \
	    $(VENV)/bin/python Benchmarks/followers/followers.py

.PHONY: bench-check
bench-check: bench-packages ## Count the hottest calls, and compare them with their ceilings
	@$(SWIFT) build --product relationbench $(or $(BUILD_FLAGS),-c release)
	python3 Tests/Python/bench_check.py .build/release/relationbench \
	    $(if $(filter write,$(BENCH_CHECK)),--write '$(WHY)')

.PHONY: write-costs
write-costs: bench-packages ## Count what each new write costs, and fill its table in docs/performance.md
	@$(SWIFT) build --product relationbench $(or $(BUILD_FLAGS),-c release)
	rows="$$PWD/.build/write-costs.txt"
	rm -f "$$rows"
	# The test fails if the page does not have its rows yet, and writes them all the same.
	RELATION_WRITE_COSTS="$$rows" $(SWIFT) test --disable-xctest $(BUILD_FLAGS) \
	    --filter WriteCostTests || test -s "$$rows"
	python3 Tests/Python/write_costs.py .build/release/relationbench "$$rows"

.PHONY: cost
cost: bench-packages ## Count what a call costs in the client, beside the channel below it
	@$(SWIFT) build -c release --product relationbench
	python3 Tests/Python/client_cost.py \
	    "$$($(SWIFT) build -c release --show-bin-path)/relationbench"

.PHONY: backup-latency
backup-latency: venv ## Measure other calls while backups are made, beside times without one
	@$(SWIFT) build -c release --product relationd
	$(SWIFT) build -c release --product relationctl
	bin="$$($(SWIFT) build -c release --show-bin-path)"
	RELATIOND="$$bin/relationd" RELATIONCTL="$$bin/relationctl" \
	    $(VENV)/bin/python Tests/Python/backup_latency.py $(or $(GRAPH),Tests/Data/facebook_edges.txt)

.PHONY: clean
clean: ## Remove everything that these commands made
	@rm -rf .build .build-{asan,bench,clients,contract,deb,dependents,foreign,fuzz,mutations,peers,release,run,screens,site,slowtest,tsan} $(VENV)
	rm -rf Examples/Python/{relation,venv} Examples/Cpp/{build,first-story} Examples/Go/{first-story,v1,vendor}
	# A file that git keeps, or that came without git, is not of these commands.
	if git check-ignore --quiet Package.resolved 2> /dev/null; then rm -f Package.resolved; fi

.PHONY: deps
deps: test-packages lint-packages bench-packages ## Install the Debian packages that are missing

.PHONY: venv
venv: $(VENV)/installed ## Install the tests' Python packages in .build-python

$(VENV)/installed: Tests/Python/requirements.txt | test-packages
	@# Commands that run at once make it once.
	exec {folder}< .
	flock "$$folder"
	if [[ $@ -nt $< ]]; then exit; fi
	test -x $(VENV)/bin/python || python3 -m venv $(VENV)
	$(VENV)/bin/python -m pip install --quiet --disable-pip-version-check --requirement $<
	touch $@

# Installs those packages of a list that are missing, and says nothing if none is. A command that
# is there, from wherever it came, counts as its package.
define install
@present() {
    case $$1 in
        pkg-config | prometheus | python3 | strace | valgrind) command -v "$$1" ;;
        maven) command -v mvn ;;
        nodejs) command -v node ;;
        npm) command -v npm ;;
        node-typescript) command -v tsc ;;
        default-jdk-headless) command -v javac ;;
        python3-venv) python3 -c 'import ensurepip, venv' ;;
        *) dpkg-query --show --showformat='$${Status}' "$$1" | grep 'ok installed' ;;
    esac > /dev/null 2>&1
}
missing=()
for package in $(1); do present "$$package" || missing+=("$$package"); done
if (($${#missing[@]} == 0)); then exit 0; fi
echo "Installing $${missing[*]}"
root=(env DEBIAN_FRONTEND=noninteractive)
if ((EUID != 0)); then root=(sudo "$${root[@]}"); fi
"$${root[@]}" apt-get update --quiet=2
"$${root[@]}" apt-get install --quiet=2 --yes --no-install-recommends "$${missing[@]}"
endef

# What a clone is built with; another one stays, and `make programs` refuses it.
Package.resolved:
	@cp Packaging/Package.resolved $@

build-packages test-packages bench-packages deb-packages: | Package.resolved

.PHONY: build-packages test-packages bench-packages deb-packages packages-packages peer-packages
.PHONY: foreign-packages real-client-packages lint-packages client-packages tar-packages image-packages proxy-packages failover-packages
build-packages:
	$(call install,$(BUILD_PACKAGES))
test-packages:
	$(call install,$(TEST_PACKAGES))
lint-packages:
	$(call install,$(LINT_PACKAGES))
bench-packages:
	$(call install,$(BENCH_PACKAGES))
deb-packages:
	$(call install,$(DEB_PACKAGES))
tar-packages:
	$(call install,$(TAR_PACKAGES))
image-packages:
	$(call install,$(IMAGE_PACKAGES))
packages-packages:
	$(call install,$(PACKAGES_PACKAGES))
peer-packages:
	$(call install,$(PEER_PACKAGES))
foreign-packages:
	$(call install,$(FOREIGN_PACKAGES))
real-client-packages:
	$(call install,$(REAL_CLIENT_PACKAGES))
client-packages:
	$(call install,$(CLIENT_PACKAGES))
proxy-packages:
	$(call install,$(PROXY_PACKAGES))
failover-packages:
	$(call install,$(FAILOVER_PACKAGES))
