import FileProviderCore
import Foundation
import Testing

@testable import Publication

@Suite struct ResourceFailureTests {
    @Test(
        arguments: [
            (CocoaError(.fileReadInvalidFileName), .badRequest),
            (FileError.unusableNames(UnusableNames(), in: .root), .other),
            (CocoaError(.fileReadNoSuchFile), .notFound), (CocoaError(.fileNoSuchFile), .notFound),
            (CocoaError(.fileReadNoPermission), .forbidden), (URLError(.userAuthenticationRequired), .forbidden),
            (URLError(.noPermissionsToReadFile), .forbidden),
            (URLError(.timedOut), .unavailable), (URLError(.resourceUnavailable), .unavailable),
            (POSIXError(.ETIMEDOUT), .unavailable),
            (FileError.make(.fileReadUnknown, path: "a", underlying: URLError(.timedOut)), .unavailable),
            (CocoaError(.fileReadCorruptFile), .other), (CocoaError(.featureUnsupported), .other),
            (CocoaError(.userCancelled), .other),
            (URLError(.cancelled), .other), (CancellationError(), .other), (POSIXError(.EIO), .other),
        ] as [(any Error, ResourceFailure)])
    func `an error is of one of five kinds`(error: any Error, kind: ResourceFailure) {
        #expect(error.resourceFailure == kind, "\(error)")
    }

    @Test func `a failing resource throws its error as it is`() async {
        let resource = FailureResource(Link(href: "a"), error: POSIXError(.EIO))
        await #expect(throws: POSIXError(.EIO)) { try await resource.length() }
        await #expect(throws: POSIXError(.EIO)) { try await resource.read() }
    }

    @Test func `a folder where a file was asked for is not found, with the provider's own error`() async throws {
        let shelf = Shelf()
        try await shelf.spread("folder", [("a", "x")])
        let resource = ProviderFetcher(shelf.provider, folder: .root).get("folder")
        let error = await #expect(throws: CocoaError.self) { try await resource.read() }
        #expect(error?.code == .fileReadUnknown && error?.resourceFailure == .notFound)
        #expect((error?.underlying as? POSIXError)?.code == .EISDIR)
        #expect(OpeningFailure(FileError.isADirectory(.root)) == .parsingFailed)
        // What has a second place is looked for there.
        let second = FirstFoundResource(
            Link(href: "folder"), candidates: [resource, BytesResource(Link(href: "folder"), string: "x")])
        #expect(try await second.readAsString() == "x")
    }
}
