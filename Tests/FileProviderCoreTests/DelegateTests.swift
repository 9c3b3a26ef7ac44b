import FileProviderCore
import Foundation
import Testing

private final class Listener: FileProviderDelegate, FileOperationDelegate {
    let heard = CollectedValues<String>()
    private let mayDo: Bool

    init(mayDo: Bool = true) {
        self.mayDo = mayDo
    }

    func fileproviderSucceed(_ fileProvider: any FileProviderBasic, operation: FileOperationType) {
        heard.append("done \(operation)")
    }

    func fileproviderFailed(_ fileProvider: any FileProviderBasic, operation: FileOperationType, error: any Error) {
        heard.append("failed \(operation): \((error as? CocoaError)?.code.rawValue ?? 0)")
    }

    func fileproviderProgress(_ fileProvider: any FileProviderBasic, operation: FileOperationType, progress: Float) {
        heard.append("\(progress)")
    }

    func fileProvider(_ fileProvider: any FileProviderBasic, shouldDoOperation operation: FileOperationType) -> Bool {
        heard.append("asked \(operation)")
        return mayDo
    }
}

@Suite struct DelegateTests {
    /// Starts an operation and returns what its handler was given, once it was called.
    private func outcome(
        _ start: (@escaping @Sendable ((any Error)?) -> Void) -> Progress?
    ) async throws -> [(any Error)?] {
        let (errors, called, later) = (CollectedValues<(any Error)?>(), Signal(), Signal())
        _ = start { error in
            errors.append(error)
            called.fire()
        }
        try await called.wait()
        StubProvider().removeItem(path: "/later") { _ in later.fire() }
        try await later.wait()
        return errors.values
    }

    @Test func `a veto ends with a cancelled error, once, and nothing is done`() async throws {
        let done = CollectedValues<Bool>()
        let (provider, listener) = (StubProvider { _ in done.append(true) }, Listener(mayDo: false))
        provider.fileOperationDelegate = listener
        let errors = try await outcome { provider.moveItem(path: "/a", to: "/b", completionHandler: $0) }
        #expect(errors.map { ($0 as? CocoaError)?.code } == [.userCancelled])
        #expect(done.values.isEmpty && listener.heard.values == ["asked Moving /a → /b"])
    }

    @Test func `the delegate hears of the outcome before the handler, and is not asked about reading`() async throws {
        let (provider, listener) = (StubProvider(), Listener())
        provider.delegate = listener
        provider.fileOperationDelegate = listener
        #expect(try await outcome { provider.removeItem(path: "/a", completionHandler: $0) }.count == 1)
        #expect(listener.heard.values == ["asked Removing /a", "done Removing /a"])
        let failing = StubProvider { _ in throw CocoaError(.fileWriteOutOfSpace) }
        failing.delegate = listener
        _ = try await outcome { handler in failing.attributesOfItem(path: "/a") { handler($1) } }
        #expect(listener.heard.values.last == "failed Reading /a: \(CocoaError.fileWriteOutOfSpace.rawValue)")
    }

    @Test func `progress is told as a share, and never more than the delegate keeps up with`() async throws {
        let listener = Listener()
        let provider = StubProvider { progress in
            progress.expect(1000)
            for _ in 0..<1000 { progress.advance(by: 1) }
        }
        provider.delegate = listener
        _ = try await outcome { provider.copyItem(path: "/a", to: "/b", completionHandler: $0) }
        let shares = listener.heard.values.compactMap { Float($0) }
        #expect(shares == shares.sorted() && shares.allSatisfy { (0...1).contains($0) } && shares.count <= 1001)
        #expect(
            listener.heard.values.last?.hasPrefix("done") == true
                || listener.heard.values.last?.hasPrefix("failed") == true)
    }

    @Test func `delegates are held weakly, and a new provider in the place of an old one has none`() async throws {
        for _ in 0..<100 {
            let provider = StubProvider()
            #expect(provider.delegate == nil && provider.fileOperationDelegate == nil)
            let listener = Listener()
            provider.delegate = listener
            #expect(provider.delegate === listener)
        }
        let provider = StubProvider()
        provider.delegate = Listener()
        #expect(provider.delegate == nil)
    }
}
