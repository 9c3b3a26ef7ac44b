SOURCES = Sources Providers Tests Examples Package.swift
# For each target of fuzz.
SECONDS ?= 600
FUZZ_TARGETS = known-hosts private-key sftp-packets \
  media-tags media-type zip xml rwpm opf nav ncx comic-info lcpl encryption pdf publication reader-messages \
  epub-cfi html-content search lcp-license lcp-resource opds

.DEFAULT_GOAL := help
.PHONY: help docs snippets build carrel test full products bare metrics browser stress sync-histories fleet-siege sanitize fuzz demo bench providers-table api format lint clean

help: ## show this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 24

build: ## compile everything
	swift build

carrel: ## build the command in one piece, for machines without Swift: .build/release/carrel
	bash .ci/release --static-swift-stdlib --product carrel

test: ## run all tests against real servers on this machine
	bash Tests/run.sh

full: ## run all tests, calibre as a driver among them, and build without the default traits
	CARREL_FULL=1 bash Tests/run.sh

products: ## build and run a program for each product, compare what it links with README.md, and test the examples
	bash Tests/Products/run.sh

bare: ## take WebDAV alone, and Publication alone, into a new package in an empty Debian (root, network)
	bash Tests/Bare/run.sh

metrics: ## build with the package trait Metrics, and run its test
	swift test --traits Formats,Metrics --scratch-path .build/metrics --filter RequestMetricsTests

browser: ## build the command and test its web server on the wire and in Chromium
	bash .ci/release --static-swift-stdlib --product carrel
	CARREL=$$(bash .ci/release --static-swift-stdlib --show-bin-path)/carrel bash Tests/Browser/run.sh

stress: ## watch 20 times 20,000 random changes, undo long histories, and break a library at each call in each way
	CARREL_STRESS=20 swift test --filter 'LocalMonitorTests.Stress|UndoServerTests|CrashMatrixTests|DriverCrashTests'

sync-histories: ## keep two folders in step through 10,000 random histories, 200 on each real server
	CARREL_SYNC_HISTORIES=10000 CARREL_SYNC_SERVER_HISTORIES=200 CARREL_REQUIRE_SERVERS=1 bash Tests/run.sh --filter 'HistoryTests|SyncServerTests'

fleet-siege: ## kill sync workers 200 times, and restart and cut off their database, while 30 pairs of folders change; claim 10,000 pairs
	CARREL_FLEET_CLAIMS=10000 CARREL_REQUIRE_SERVERS=1 bash Tests/run.sh --filter FleetClaimTests
	bash .ci/release --static-swift-stdlib --product carrel
	CARREL=$$(bash .ci/release --static-swift-stdlib --show-bin-path)/carrel bash Tests/Fleet/run.sh --kills 200 --restarts 20 --cuts 20 --freezes 20 --pairs 30 --workers 4

sanitize: ## run the core's tests under the thread sanitizer
	swift test --sanitize=thread -Xswiftc -DTHREAD_SANITIZER --scratch-path .build/sanitize --filter FileProviderCoreTests

fuzz: ## feed the decoders with made-up inputs, SECONDS=600 for each, two at once
	@printf '%s\n' $(FUZZ_TARGETS) | xargs -P 2 -I TARGET bash Tests/Fuzz/run.sh TARGET $(SECONDS)

demo: ## watch Carrel work, without any account
	bash Examples/demo.sh

bench: ## measure time and memory
	bash Tests/Performance/run.sh

providers-table: ## write Documentation/Providers.md from what the servers show
	CARREL_REQUIRE_SERVERS=1 CARREL_WRITE_PROVIDERS=1 bash Tests/run.sh --filter ProvidersPageTests

api: ## write Documentation/API, the public declarations of each product, from a debug build
	SWIFT_DETERMINISTIC_HASHING=1 swift build --disable-build-manifest-caching
	python3 .ci/api write

format: ## rewrite the sources in the project's style
	swift format --in-place --recursive $(SOURCES)

docs: ## build the documentation: .build/documentation
	SWIFT_DETERMINISTIC_HASHING=1 swift build --disable-build-manifest-caching
	python3 .ci/docs

snippets: ## compile the code that the pages show
	SWIFT_DETERMINISTIC_HASHING=1 swift build --disable-build-manifest-caching
	python3 .ci/snippets

lint: ## check the style, the words of comments and pages, and that folders form a stack, without changing anything
	python3 .ci/folders.py
	python3 .ci/words.py
	swift format lint --recursive --strict $(SOURCES)

clean: ## remove what the compiler made
	swift package clean
	rm -rf .build
