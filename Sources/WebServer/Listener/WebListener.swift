import FileProviderCore
import Foundation
package import Logging

#if Serving
    import HTTPTypes
    import HummingbirdCore
    import NIOCore
    import NIOPosix
    import ServiceLifecycle
#endif

/// A server of HTTP that has each request answered by a closure. Nothing else of the package knows Hummingbird.
package final class WebListener: Sendable {
    /// Returns how many bytes the body of a request may have, of which the body itself is not there yet.
    package typealias BodyLimit = @Sendable (ServerRequest) -> Int

    /// Answers one request. Its task is cancelled when the client is gone.
    package typealias Responder = @Sendable (ServerRequest) async -> ServerResponse

    /// The body of a form.
    package static let smallBody = 4 << 10
    /// The most that a ``BodyLimit`` may allow: bodies are held in memory.
    private static let largestBody = 4 << 20

    private let host: String
    private let port: Int
    private let limits: ServerLimits
    private let logger: Logger?
    private let shownPath: @Sendable (String) -> String
    private let bodyLimit: BodyLimit
    private let socket = BoundSocket()

    /// A server that doesn't listen before ``run(_:)``.
    ///
    /// - Parameters:
    ///   - host: The address to listen on.
    ///   - port: The port; 0 for any free one.
    ///   - logger: Gets a line for each request, at `.debug`.
    ///   - shownPath: Returns what log lines may show of a request's target, which may be a secret.
    ///   - bodyLimit: How large a request may be: at most 4 MiB, and 4 KiB unless it says otherwise. A larger request is
    ///     answered with 413.
    package init(
        host: String, port: Int, limits: ServerLimits, logger: Logger?,
        shownPath: @escaping @Sendable (String) -> String,
        bodyLimit: @escaping BodyLimit = { _ in WebListener.smallBody }
    ) {
        self.host = host
        self.port = port
        self.limits = limits
        self.logger = logger
        self.shownPath = shownPath
        self.bodyLimit = bodyLimit
    }

    /// The port that the server listens on. Suspends until it listens.
    ///
    /// - Throws: The error with which ``run(_:)`` ended; `CancellationError`.
    package func port() async throws -> Int { try await socket.port() }
}

#if Serving
    /// Listening, by Hummingbird.
    extension WebListener {
        /// Listens and has `respond` answer until the task is cancelled, or its service group shuts down gracefully: then
        /// what is being sent goes on to its end.
        ///
        /// A client that takes nothing of an answer, or sends no request, for ``ServerLimits/idleTime`` is disconnected.
        /// Neither takes a thread. How long `respond` takes is not limited.
        ///
        /// - Throws: `URLError(.cannotConnectToHost)` if the address cannot be had, over `POSIXError`.
        package func run(_ respond: @escaping Responder) async throws {
            do {
                try await listen(respond)
                socket.end(CancellationError())
            } catch {
                let failure = refused(error)
                socket.end(failure)
                throw failure
            }
        }

        private func listen(_ respond: @escaping Responder) async throws {
            let idleTime = TimeAmount(limits.idleTime)
            let decoder = HTTP1Channel.Configuration.DecoderConfiguration(
                maxHeaderFieldSize: limits.headerBytes, maxHeaderListSize: limits.headerBytes, maxHeaderFieldCount: 100)
            let channel = HTTP1Channel.Configuration(
                additionalChannelHandlers: [GoneClientHandler()], idleTimeout: idleTime,
                httpDecoderConfiguration: decoder)
            // Hummingbird's own messages name paths, which are secrets.
            var silent = Logger(label: "carrel.server") { _ in SwiftLogNoOpLogHandler() }
            silent.logLevel = .critical
            let server = try HTTPServerBuilder.http1(configuration: channel).buildServer(
                configuration: HummingbirdCore.ServerConfiguration(
                    address: .hostname(host, port: port),
                    availableConnectionsDelegate: MaximumAvailableConnections(limits.connections, logger: silent)),
                eventLoopGroup: MultiThreadedEventLoopGroup.singleton, logger: silent,
                responder: { request, writer, channel in
                    try await self.answer(request, on: channel, to: writer, idleTime, respond)
                },
                onServerRunning: { channel in self.socket.bind(to: channel.localAddress?.port ?? 0) })
            try await server.run()
        }

        private func refused(_ error: any Error) -> any Error {
            guard let code = (error as? IOError)?.errnoCode else { return error }
            let cause = POSIXErrorCode(rawValue: code).map { POSIXError($0) }
            let why = code == EADDRINUSE ? "another program uses it" : String(cString: strerror(code))
            return FileError.make(
                .cannotConnectToHost, url: nil,
                sentence: "The server can't listen on port \(port) of \(host): \(why).",
                underlying: cause)
        }

        // MARK: One request

        private func answer(
            _ request: Request, on channel: any Channel, to writer: consuming ResponseWriter, _ idleTime: TimeAmount,
            _ respond: @escaping Responder
        ) async throws {
            let path = shownPath(request.head.path ?? "/")
            // Fails if the client is gone.
            let client = try await channel.pipeline.handler(type: GoneClientHandler.self).get().client
            let asked = Self.bodiless(request, on: channel)
            let most = max(0, min(bodyLimit(asked), Self.largestBody))
            let answer: ServerResponse
            if let length = request.headers[.contentLength].flatMap({ Int64($0) }), length > most {
                answer = Self.tooLarge
            } else {
                if Self.waitsForContinue(request) {
                    try await writer.writeInformationalHead(HTTPResponse(status: .continue))
                }
                answer = await self.answer(asked, request, upTo: most, of: client, on: channel, idleTime, respond)
            }
            logger?.debug(
                "Answered a request.",
                metadata: ["method": "\(request.method)", "status": "\(answer.status)", "path": "\(path)"])
            var head = answer.head
            var isLast = Self.wantsClose(request) || answer.header("Connection") == "close"
            let isWithoutLength = request.method == .head && answer.contentLength == nil
            // The connection's end is the answer's: what would end its body is not sent (RFC 9110, section 9.3.2).
            if isWithoutLength {
                head.headerFields[.contentLength] = nil
                isLast = true
            }
            if isLast { head.headerFields[.connection] = "close" }
            switch answer.body {
            case .none:
                let limit = Self.limit(of: channel, idleTime)
                defer { limit.cancel() }
                if isWithoutLength {
                    _ = try await writer.writeHead(head)
                } else {
                    try await writer.writeResponse(head)
                }
            case .data(let data) where data.count <= Self.largestPiece:
                let limit = Self.limit(of: channel, idleTime)
                defer { limit.cancel() }
                try await writer.write(response: head, body: ResponseBody(byteBuffer: ByteBuffer(bytes: data)))
            case .data(let data):
                let send: @Sendable (any ByteSink) async throws -> Void = { sink in
                    for start in stride(from: 0, to: data.count, by: Self.largestPiece) {
                        try await sink.send(data.dropFirst(start).prefix(Self.largestPiece))
                    }
                }
                try await stream(send, count: Int64(data.count), head, to: writer, client, of: channel, idleTime)
            case .stream(let count, let send):
                try await stream(send, count: count, head, to: writer, client, of: channel, idleTime)
            }
            if isLast {
                try await channel.close(mode: .output).get()
                // Nor does a client stay that goes on sending.
                _ = Self.limit(of: channel, min(idleTime, Self.lingering))
            }
        }

        /// How long a client may take to see an answer after which the connection ends (RFC 9112, section 9.6).
        private static let lingering = TimeAmount.seconds(5)

        private static let largestPiece = 128 << 10

        private func stream(
            _ send: @escaping @Sendable (any ByteSink) async throws -> Void, count: Int64?, _ head: HTTPResponse,
            to writer: consuming ResponseWriter, _ client: ConnectedClient, of channel: any Channel,
            _ idleTime: TimeAmount
        ) async throws {
            // A small pipe: what waits here for the client was read from the storage.
            let pipe = BytePipe(capacity: 256 << 10)
            let filling = pipe.filling { try await send($0) }
            client.whenGone { pipe.abandon() }
            defer { client.forget() }
            let sending: Result<Void, any Error>
            do {
                try await forward(pipe, count: count, head, to: writer, of: channel, idleTime)
                sending = .success(())
            } catch {
                sending = .failure(error)
            }
            pipe.abandon()
            filling.cancel()
            // Nothing is read from the storage after this.
            await filling.value
            try sending.get()
        }

        private func forward(
            _ pipe: BytePipe, count: Int64?, _ head: HTTPResponse, to writer: consuming ResponseWriter,
            of channel: any Channel, _ idleTime: TimeAmount
        ) async throws {
            var body = try await writer.writeHead(head)
            var sent: Int64 = 0
            while let piece = try await pipe.next() {
                sent += Int64(piece.count)
                if let count, sent >= count {
                    // The last bytes complete the answer, so they wait for what their storage or archive says at the end.
                    guard sent == count, try await pipe.next() == nil else { throw UnevenAnswer() }
                }
                let limit = Self.limit(of: channel, idleTime)
                defer { limit.cancel() }
                try await body.write(ByteBuffer(bytes: piece))
                // Only the event loop says that the client has enough for now; a fast storage would be ahead of it by
                // the whole answer.
                try await channel.eventLoop.submit {}.get()
            }
            // The client sees that something is missing, as the connection ends.
            if let count, sent != count { throw UnevenAnswer() }
            let limit = Self.limit(of: channel, idleTime)
            defer { limit.cancel() }
            try await body.finish(nil)
        }

        /// Disconnects a client that takes nothing.
        private static func limit(of channel: any Channel, _ idleTime: TimeAmount) -> Scheduled<Void> {
            channel.eventLoop.scheduleTask(in: idleTime) { channel.close(promise: nil) }
        }

        /// The answer, for which nothing is read any more once the client is gone.
        ///
        /// - Parameters:
        ///   - asked: The request without its body, which has to arrive within `idleTime`. How long the answer takes is the
        ///     storage's matter.
        ///   - most: The most bytes of the body.
        private func answer(
            _ asked: ServerRequest, _ request: Request, upTo most: Int, of client: ConnectedClient,
            on channel: any Channel, _ idleTime: TimeAmount, _ respond: @escaping Responder
        ) async -> ServerResponse {
            var asked = asked
            do {
                let limit = Self.limit(of: channel, idleTime)
                defer { limit.cancel() }
                var request = request
                asked.body = Data(try await request.collectBody(upTo: most).readableBytesView)
            } catch {
                return Self.tooLarge
            }
            let complete = asked
            let answering = Task { await respond(complete) }
            client.whenGone { answering.cancel() }
            defer { client.forget() }
            return await answering.value
        }

        private static var tooLarge: ServerResponse {
            var answer = RefusalAnswer.tooLarge
            answer.set("Connection", "close")
            return answer
        }

        private static func bodiless(_ request: Request, on channel: any Channel) -> ServerRequest {
            // HTTPTypes keep the host apart, as HTTP/2 does.
            var headers = request.headers.map { (name: $0.name.rawName, value: $0.value) }
            if let host = request.head.authority { headers.append((name: "Host", value: host)) }
            return ServerRequest(
                method: request.method.rawValue, target: request.head.path ?? "", headers: headers,
                remoteAddress: channel.remoteAddress?.ipAddress)
        }

        /// Whether the client sends its body only after a 100 (RFC 9110, section 10.1.1).
        private static func waitsForContinue(_ request: Request) -> Bool {
            request.headers[.expect]?.lowercased() == "100-continue"
        }

        /// Whether the client sends no further request (RFC 9112, section 9.6). Hummingbird knows the exact `close` alone.
        private static func wantsClose(_ request: Request) -> Bool {
            let options = request.headers[.connection]?.lowercased().split(separator: ",") ?? []
            return options.contains { $0.trimmingCharacters(in: .whitespaces) == "close" }
        }
    }

    /// The storage sent another number of bytes than it announced.
    private struct UnevenAnswer: Error {}

    extension ServerResponse {
        fileprivate var head: HTTPResponse {
            var fields = HTTPFields()
            for (name, value) in headers {
                if let name = HTTPField.Name(name) { fields.append(HTTPField(name: name, value: value)) }
            }
            if let length { fields[.contentLength] = String(length) }
            return HTTPResponse(status: HTTPResponse.Status(code: status), headerFields: fields)
        }

        /// What `Content-Length` says; nil if it is not known, or has no place.
        private var length: Int64? {
            switch body {
            case .none: [204, 304].contains(status) ? nil : contentLength ?? 0
            case .data(let data): Int64(data.count)
            case .stream(let count, _): count
            }
        }
    }

    /// Closes the connection as soon as the client has closed its side, so that nothing more is read for it. Each
    /// connection has one.
    private final class GoneClientHandler: ChannelInboundHandler, RemovableChannelHandler, Sendable {
        typealias InboundIn = NIOAny

        let client = ConnectedClient()

        func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
            if event as? ChannelEvent == .inputClosed { return context.close(promise: nil) }
            context.fireUserInboundEventTriggered(event)
        }

        func channelInactive(context: ChannelHandlerContext) {
            client.leave()
            context.fireChannelInactive()
        }
    }
#else
    extension WebListener {
        /// Listens and has `respond` answer; needs the package trait `Serving`.
        ///
        /// - Throws: ``/FileProviderCore/MissingTrait``, always: this build lacks the trait.
        package func run(_ respond: @escaping Responder) async throws {
            let missing = MissingTrait(name: "Serving", purpose: "serves publications over HTTP")
            socket.end(missing)
            throw missing
        }
    }
#endif
