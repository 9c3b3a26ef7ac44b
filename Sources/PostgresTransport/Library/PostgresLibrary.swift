#if Fleet
    import CPQ
    import Foundation

    /// libpq as a whole.
    enum PostgresLibrary {
        /// Starts libcrypto before the first thread that uses it: its handler of exit(3) has to run after the one that
        /// ends the threads.
        static let start: Void = {
            // The one call of libpq without a connection that uses libcrypto.
            if let hash = PQencryptPassword("carrel", "carrel") { PQfreemem(hash) }
        }()

        private typealias Pending = @convention(c) (UnsafeMutableRawPointer) -> Int32

        /// Null is `RTLD_DEFAULT` of dlsym(3): libpq has loaded libssl.
        private static let pending = dlsym(nil, "SSL_pending").map { unsafeBitCast($0, to: Pending.self) }

        /// Whether libssl holds bytes that poll(2) does not report. `PQconsumeInput` leaves some if the other side sends
        /// records of more than 8 KiB, as proxies do.
        static func hasPendingBytes(_ connection: OpaquePointer) -> Bool {
            guard let pending, let session = PQsslStruct(connection, "OpenSSL") else { return false }
            return pending(session) > 0
        }
    }
#endif
