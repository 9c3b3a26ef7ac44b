#if Fleet
    import CPQ
    import FileProviderCore
    import Foundation

    /// Makes a connection to the first of the servers that accepts one; on the connection's thread.
    struct PostgresOpening {
        let control: PostgresControl
        let event: WakeEvent

        /// Blocks while a password is asked for and while names are looked up; the rest ends early with
        /// ``PostgresControl/close()``.
        func open() throws -> PostgresLink {
            let keywords = try PostgresKeywords(
                control.configuration, environment: ProcessInfo.processInfo.environment)
            let password = try control.askPassword()
            var failure: (any Error)?
            for attempt in keywords.attempts(password: password) {
                do { return try open(attempt, password) } catch {
                    if control.isClosed || TransportThread.isExiting || !mayBeElsewhere(error) { throw error }
                    failure = error
                }
            }
            throw failure ?? control.errors.unusable("has no host")
        }

        /// Another server would refuse the same login.
        private func mayBeElsewhere(_ error: any Error) -> Bool {
            error is URLError && (error as? URLError)?.code != .userAuthenticationRequired
        }

        private func open(_ attempt: PostgresKeywords.Attempt, _ password: String?) throws -> PostgresLink {
            guard let link = PostgresLink(attempt.settings, notices: PostgresNotices(control.logger)) else {
                throw control.errors.unusable("needs more memory than there is")
            }
            let seconds = control.configuration.connectTimeout
            let deadline = ContinuousClock.now + .clamped(seconds: seconds)
            var state = link.isBad ? PGRES_POLLING_FAILED : PGRES_POLLING_WRITING
            while state != PGRES_POLLING_OK {
                if state == PGRES_POLLING_FAILED {
                    throw control.errors.notConnected(
                        link.message, needsPassword: link.needsPassword, password: password)
                }
                let events = Int16(state == PGRES_POLLING_READING ? POLLIN : POLLOUT)
                guard try wait(for: link.socket, events, until: deadline) else {
                    link.abandon()
                    throw control.errors.connectTimedOut(seconds)
                }
                state = PQconnectPoll(link.raw)
            }
            guard link.enterPipeline() else { throw control.errors.unusable("cannot run statements in a pipeline") }
            return link
        }

        /// - Returns: Whether the socket is ready; false after the deadline.
        private func wait(for socket: Int32, _ events: Int16, until deadline: ContinuousClock.Instant) throws -> Bool {
            while true {
                if control.isClosed || TransportThread.isExiting { throw control.errors.closed() }
                var entries = [
                    pollfd(fd: socket, events: events, revents: 0),
                    pollfd(fd: event.descriptor, events: Int16(POLLIN), revents: 0),
                ]
                let left = deadline.millisecondsLeft
                _ = poll(&entries, 2, left)
                event.clear()
                if entries[0].revents != 0 { return true }
                if left == 0 { return false }
            }
        }
    }
#endif
