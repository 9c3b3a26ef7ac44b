#if Fleet
    import CPQ
    import FileProviderCore
    import Foundation
    import Logging

    /// Makes a connection whenever one is needed, and sleeps in between; on its own thread.
    final class PostgresLoop {
        private let control: PostgresControl
        private let event: WakeEvent
        private var pipeline: PostgresPipeline?
        /// When to connect for listeners alone.
        private var retry = ContinuousClock.now
        private var pause = Duration.milliseconds(100)

        static func start(_ control: PostgresControl, _ event: WakeEvent) throws {
            _ = PostgresLibrary.start
            try TransportThread.start(name: "carrel.postgres", wake: { control.interrupt() }) { _ in
                PostgresLoop(control, event).run()
            }
        }

        private init(_ control: PostgresControl, _ event: WakeEvent) {
            self.control = control
            self.event = event
        }

        private func run() {
            while !TransportThread.isExiting {
                if control.isClosed {
                    pipeline?.end(control.errors.closed())
                    pipeline = nil
                    return control.end()
                }
                if pipeline == nil { connectOrSleep() } else { turn() }
            }
        }

        private func turn() {
            guard let pipeline else { return }
            do {
                try pipeline.turn()
                wait(for: pipeline)
            } catch {
                control.logger?.info(
                    "PostgreSQL: the connection was lost.", metadata: ["error": "\(error.loggedSentence)"])
                pipeline.abandon(error)
                self.pipeline = nil
                retry = .now + pause
            }
        }

        private func connectOrSleep() {
            event.clear()
            if control.hasRequests { return connect() }
            if control.channels.isEmpty { return sleep(until: nil) }
            if retry <= .now { connect() } else { sleep(until: retry) }
        }

        private func connect() {
            do {
                let link = try PostgresOpening(control: control, event: event).open()
                control.logger?.debug("PostgreSQL: connected.", metadata: ["server": "\(link.shown)"])
                control.countConnection()
                pipeline = PostgresPipeline(control, link)
                pause = .milliseconds(100)
            } catch {
                if TransportThread.isExiting { return }
                control.logger?.info("PostgreSQL: no connection.", metadata: ["error": "\(error.loggedSentence)"])
                for request in control.take() { request.give(.failure(error)) }
                retry = .now + pause * Double.random(in: 0.75...1.25)
                pause = min(pause * 2, .seconds(10))
            }
        }

        // MARK: Waiting

        private func wait(for pipeline: PostgresPipeline) {
            let events = Int16(POLLIN) | (pipeline.link.isFull ? Int16(POLLOUT) : 0)
            var entries = [
                pollfd(fd: pipeline.link.socket, events: events, revents: 0),
                pollfd(fd: event.descriptor, events: Int16(POLLIN), revents: 0),
            ]
            _ = poll(&entries, 2, pipeline.deadline?.millisecondsLeft ?? -1)
            event.clear()
            pipeline.noteEvents(entries[0].revents)
        }

        private func sleep(until deadline: ContinuousClock.Instant?) {
            var entry = pollfd(fd: event.descriptor, events: Int16(POLLIN), revents: 0)
            _ = poll(&entry, 1, deadline?.millisecondsLeft ?? -1)
        }
    }
#endif
