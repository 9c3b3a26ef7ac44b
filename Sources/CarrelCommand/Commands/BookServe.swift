import ArgumentParser
import Carrel
import Foundation
import PublicationServer

struct BookServe: Verb {
    static let verb = "book serve"
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Serve books to browsers, with a page to read on, until interrupted.",
        discussion: """
            Each line is the address of a page; programs read its manifest.json. Books are read by ranges from where they \
            are. Without --bind, only this machine reaches them. Beyond it pages ask for a token: the first line of \
            --token-file, or $CARREL_SERVE_TOKEN. Connections are not encrypted: put a reverse proxy in front, and give \
            its address with --public-url.
            """)

    @Option(help: ArgumentHelp("The port; a free one unless given.", valueName: "n"))
    var port = 0
    @Option(help: ArgumentHelp("The address to listen on.", valueName: "address"))
    var bind = "127.0.0.1"
    @Flag(help: "Open the page in the browser of this desktop.")
    var open = false
    @Option(help: ArgumentHelp("A file whose first line is the token.", valueName: "file"), completion: .file())
    var tokenFile: String?
    @Option(
        help: ArgumentHelp(
            "A file with the secret that addresses are made of: with the same one they stay the same. Created if it is missing; unless given, the command keeps one.",
            valueName: "file"), completion: .file())
    var keyFile: String?
    @Option(help: ArgumentHelp("The address that a reverse proxy shows.", valueName: "url"))
    var publicUrl: String?
    @Flag(help: "Let the book's own scripts run, in a sandbox.")
    var allowScripts = false
    @Option(
        help: ArgumentHelp(
            "Disconnect clients that send no request, or accept no bytes of an answer, for this long.",
            valueName: "seconds"))
    var idleTimeout = 30.0
    @Argument(help: "Books.", completion: .location)
    var locations: [String]
    @OptionGroup var protection: ProtectionOptions
    @OptionGroup var common: CommonOptions

    var blamed: String? { locations.count == 1 ? locations.first : nil }

    func validate() throws {
        if locations.isEmpty { throw ValidationError("Which book is to be served?") }
        guard (0.1...86_400).contains(idleTimeout) else {
            throw ValidationError("--idle-timeout needs a number of seconds from 0.1 to 86400.")
        }
    }

    func perform(_ session: Session) async throws {
        // All at once: what is given for one host must not go to another.
        let identities = try await session.operands(locations).map(\.identity)
        let server = try await server(session)
        try await withBooks(zip(locations, identities).map { $0 }[...], [], session) { books in
            let listening = Task { try await server.run() }
            try await withTaskCancellationHandler {
                do {
                    for book in books { try await announce(book, by: server, session) }
                } catch {
                    listening.cancel()
                    throw error
                }
                try await listening.value
            } onCancel: {
                listening.cancel()
            }
            // A signal ended a server that ends without an error.
            throw CancellationError()
        }
    }

    private func announce(_ book: OpenBook, by server: PublicationServer, _ session: Session) async throws {
        let url = try await server.add(book.publication, identity: book.identity)
        if common.json {
            try session.output.json(Served(url: url, manifest: url.appending(path: "manifest.json")))
        } else {
            try session.output.line(url.absoluteString)
        }
        try session.output.flush()
        if open { try openBrowser(at: url) }
    }

    /// Opens the books one after the other, and closes them after `body`.
    private func withBooks(
        _ rest: ArraySlice<(location: String, identity: String)>, _ books: [OpenBook], _ session: Session,
        _ body: ([OpenBook]) async throws -> Void
    ) async throws {
        guard let (location, identity) = rest.first else { return try await body(books) }
        try await withBook(location, protection, session: session, isServed: true) { publication in
            let book = OpenBook(publication: publication, identity: identity)
            try await withBooks(rest.dropFirst(), books + [book], session, body)
        }
    }

    private func server(_ session: Session) async throws -> PublicationServer {
        var proxy: URL?
        if let publicUrl {
            guard let url = URL(string: publicUrl) else {
                throw CommandFailure.usage("“\(publicUrl)”, the value of --public-url, is no URL.")
            }
            proxy = url
        }
        var configuration = ServerConfiguration(
            host: bind, port: port, key: try await ServerSecrets.key(file: keyFile, session),
            token: try await ServerSecrets.token(file: tokenFile, session), publicURL: proxy,
            allowsScripts: allowScripts)
        configuration.limits.idleTime = .seconds(idleTimeout)
        do { return try PublicationServer(configuration, logger: session.logger) } catch {
            throw CommandFailure.usage(error.sentence)
        }
    }

    /// Source: xdg-open(1).
    private func openBrowser(at url: URL) throws {
        let browser = Process()
        browser.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        browser.arguments = ["xdg-open", url.absoluteString]
        browser.standardOutput = FileHandle.nullDevice
        browser.standardError = FileHandle.nullDevice
        do { try browser.run() } catch {
            throw CommandFailure.usage("The browser can't be opened: \(error.sentence)")
        }
    }
}

private struct OpenBook {
    var publication: Publication
    var identity: String
}

/// A line of output for each book.
private struct Served: Encodable {
    var url: URL
    var manifest: URL
}

/// What a server keeps to itself.
enum ServerSecrets {
    private static let largest = 4 << 10
    private static let variable = "CARREL_SERVE_TOKEN"

    /// Returns the token that clients have to present; nil if none is given.
    static func token(file: String?, _ session: Session) async throws -> String? {
        guard let file else { return session.environment[variable].flatMap { $0.isEmpty ? nil : $0 } }
        do {
            let text = String(decoding: try await SmallFile.read(file, limit: largest, isSecret: true), as: UTF8.self)
            guard let line = text.split(whereSeparator: \.isNewline).first else {
                throw CommandFailure.usage("The token's file “\(file)” has no token.")
            }
            return String(line)
        } catch let error as CommandFailure {
            throw error
        } catch {
            throw CommandFailure.usage("The token's file “\(file)” cannot be read: \(error.sentence)")
        }
    }

    /// Returns the secret that addresses are made of, from `file` or the command's own one; creates either.
    static func key(file: String?, _ session: Session) async throws -> Data {
        let state = URL(fileURLWithPath: StateFolder.path(session.environment), isDirectory: true)
        let isOwn = file == nil
        let file = file.map { URL(fileURLWithPath: $0) } ?? state.appending(path: "serve.key")
        let path = file.path(percentEncoded: false)
        do { return try await SmallFile.read(path, limit: largest, isSecret: true) } catch let error
            where error.isNoSuchFile
        {
            let key = ServerConfiguration.makeKey()
            if isOwn { try MissingFolder.create(state) }
            let folder = try LocalFileProvider(root: file.deletingLastPathComponent())
            do {
                try await folder.writeContents(
                    path: ProviderPath(file.lastPathComponent), from: DataSource(key),
                    options: WriteOptions(permissions: 0o600))
                return key
            } catch let error where error.isFileExists {
                // Another run made one in the same moment.
                return try await SmallFile.read(path, limit: largest, isSecret: true)
            }
        }
    }
}
