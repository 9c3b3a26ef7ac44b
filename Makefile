SOURCES = Sources Providers Tests Examples Package.swift

.DEFAULT_GOAL := help
.PHONY: help build test sanitize demo bench format lint clean

help: ## show this list
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 16

build: ## compile everything
	swift build

test: ## run all tests against real servers on this machine
	bash Tests/run.sh

sanitize: ## run the core's tests under the thread sanitizer
	swift test --sanitize=thread -Xswiftc -DTHREAD_SANITIZER --scratch-path .build/sanitize --filter FileProviderCoreTests

demo: ## watch Carrel work, without any account
	bash Examples/demo.sh

bench: ## measure time and memory
	bash Tests/Performance/run.sh

format: ## rewrite the sources in the project's style
	swift format --in-place --recursive $(SOURCES)

lint: ## check the style without changing anything
	swift format lint --recursive --strict $(SOURCES)

clean: ## remove what the compiler made
	swift package clean
	rm -rf .build
