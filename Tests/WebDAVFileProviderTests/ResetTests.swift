import FaultServer
import FileProviderCore
import Foundation
import Testing
import WebDAVFileProvider

/// The connection is reset at every tenth byte of an exchange, of what the client sends and of what it gets.
@Suite(.serialized) struct ResetTests {
    enum Operation: String, CaseIterable, Sendable {
        case reading, listing, moving, removing, publishing, replacing, writingInPlace, makingAFolder
    }

    private struct Run: Sendable {
        var server: FaultServer
        var double: DAVDouble
        var provider: WebDAVFileProvider
    }

    private static let body = Data((0..<4096).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) })
    private static let before = ["/dav/f": body, "/dav/folder/a": Data("a".utf8), "/dav/folder/b": Data("b".utf8)]

    @Test(.timeLimit(.minutes(5)), arguments: Operation.allCases)
    func `what a reset interrupts is done or is not, and is never told otherwise`(_ operation: Operation) async throws {
        try await reset(operation, isWarm: false)
    }

    /// libcurl sends a request again when a kept connection ends before the answer, and the server may have seen the
    /// first one.
    @Test(
        .timeLimit(.minutes(5)), arguments: [Operation.moving, .removing, .publishing, .writingInPlace, .makingAFolder])
    func `the same holds for a connection that was kept`(_ operation: Operation) async throws {
        try await reset(operation, isWarm: true)
    }

    private func reset(_ operation: Operation, isWarm: Bool) async throws {
        let traffic = try await exchange(operation, cut: nil, isWarm: isWarm)
        #expect(traffic.received > 100 && traffic.sent > 30)
        let cuts =
            stride(from: 0, through: traffic.sent, by: 10).map { FaultServer.Cut.afterSending($0) }
            + stride(from: 0, through: traffic.received, by: 10).map { .afterReceiving($0) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (index, cut) in cuts.enumerated() {
                if index >= 32 { try await group.next() }
                group.addTask { _ = try await exchange(operation, cut: cut, isWarm: isWarm) }
            }
            try await group.waitForAll()
        }
    }

    /// - Returns: How many bytes went each way.
    private func exchange(
        _ operation: Operation, cut: FaultServer.Cut?, isWarm: Bool
    ) async throws -> (received: Int, sent: Int) {
        let double = DAVDouble(files: Self.before, folders: ["/dav", "/dav/folder"])
        let server = try FaultServer { double.answer($0) }
        defer { server.stop() }
        let options = ConnectionOptions(timeouts: Timeouts(connect: 60, idle: 60), retries: RetryPolicy(retries: 0))
        let base = server.url("dav").appending(path: "dav")
        let provider = try WebDAVFileProvider(configuration: WebDAVConfiguration(baseURL: base), options: options)
        if isWarm { _ = try await provider.attributesOfItem(path: ProviderPath("f")) }
        let start = server.traffic
        if let cut { server.reset(cut) }
        var failure: (any Error)?
        do { try await perform(operation, provider) } catch { failure = error }
        let location = Comment(
            rawValue: "\(operation.rawValue), \(cut.map { "\($0)" } ?? "no cut"): \(failure?.sentence ?? "done")")
        if let failure {
            #expect(cut != nil, location)
            // Before the first byte the reset may meet the connection while it is made.
            let isAtOnce = cut == .afterReceiving(0) || cut == .afterSending(0)
            let code = (failure as? URLError)?.code
            #expect(code == .networkConnectionLost || (isAtOnce && code == .cannotConnectToHost), location)
        }
        let (now, done) = (double.state.files, Self.after(operation))
        #expect(now == done || (failure != nil && now == Self.before), location)
        let folders: Set<String> = ["/", "/dav", "/dav/folder"]
        let expected = operation == .makingAFolder ? folders.union(["/dav/new"]) : folders
        #expect(double.state.folders == expected || (failure != nil && double.state.folders == folders), location)
        return (server.traffic.received - start.received, server.traffic.sent - start.sent)
    }

    private func perform(_ operation: Operation, _ provider: WebDAVFileProvider) async throws {
        let (f, g) = (try ProviderPath("f"), try ProviderPath("g"))
        switch operation {
        case .reading: #expect(try await provider.contents(path: f) == Self.body)
        case .listing:
            #expect(
                try await provider.contentsOfDirectory(path: ProviderPath("folder")).map(\.name).sorted() == ["a", "b"])
        case .moving: try await provider.moveItem(path: f, to: g)
        case .removing: try await provider.removeItem(path: f)
        case .publishing: try await provider.writeContents(path: g, contents: Self.body)
        case .replacing:
            try await provider.writeContents(path: f, contents: Data(Self.body.reversed()), overwrite: true)
        case .writingInPlace:
            _ = try await provider.writeContents(
                path: g, from: DataSource(Self.body), options: WriteOptions(overwrite: false, placement: .inPlace))
        case .makingAFolder: try await provider.createFolder(path: ProviderPath("new"))
        }
    }

    /// The files once the operation is done.
    private static func after(_ operation: Operation) -> [String: Data] {
        var files = before
        switch operation {
        case .reading, .listing, .makingAFolder: break
        case .removing: files["/dav/f"] = nil
        case .moving: (files["/dav/f"], files["/dav/g"]) = (nil, body)
        case .publishing, .writingInPlace: files["/dav/g"] = body
        case .replacing: files["/dav/f"] = Data(body.reversed())
        }
        return files
    }
}
