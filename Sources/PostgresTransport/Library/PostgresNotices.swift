#if Fleet
    import CPQ
    import FileProviderCore
    import Foundation
    import Logging

    /// Writes a server's notices to the log; libpq would print them.
    final class PostgresNotices: Sendable {
        private let logger: Logger?

        init(_ logger: Logger?) { self.logger = logger }

        /// It has to live as long as the connection.
        func receive(of connection: OpaquePointer) {
            _ = PQsetNoticeProcessor(
                connection,
                { context, message in
                    guard let context, let message else { return }
                    let notices = Unmanaged<PostgresNotices>.fromOpaque(context).takeUnretainedValue()
                    let words = String(cString: message).trimmingCharacters(in: .whitespacesAndNewlines)
                    let text = LogText.shown(Secrets.removed(from: words), limit: 1000)
                    notices.logger?.debug("PostgreSQL: a notice.", metadata: ["notice": "\(text)"])
                }, Unmanaged.passUnretained(self).toOpaque())
        }
    }
#endif
