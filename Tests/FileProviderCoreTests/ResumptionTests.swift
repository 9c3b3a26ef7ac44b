import FileProviderCore
import Foundation
import MemoryFileProvider
import ProviderDoubles
import Testing

/// A storage that gives files times of its own.
private final class TimelessProvider: ForwardingProvider {
    static let type = "Timeless"
    let underlying: any FileProvider = MemoryFileProvider()

    func capabilities() async throws -> Capabilities {
        var capabilities = try await underlying.capabilities()
        capabilities[.settingModificationDate] = .unavailable
        return capabilities
    }
}

/// A storage that tells versions of files by nothing but a date.
private final class DatedProvider: ForwardingProvider {
    static let type = "Dated"
    let underlying: any FileProvider = MemoryFileProvider()
    let date: Date

    init(date: Date) {
        self.date = date
    }

    func open(path: ProviderPath) async throws -> any FileReader {
        let base = try await underlying.open(path: path)
        let size = try await base.attributes().size
        let attributes = FileReaderAttributes(size: size, validator: "\(date)", validatorDate: date)
        return RangedFileReader(path: path, cost: base.cost, attributes: { attributes }) { part, _, sink in
            let extent = try await base.stream(part, into: sink)
            return (extent, attributes)
        }
    }
}

/// A storage that notes whether a later write could go on with each of its writes.
private final class NotingProvider: ForwardingProvider {
    static let type = "Noting"
    let underlying: any FileProvider = MemoryFileProvider()
    let keepsParts = CollectedValues<Bool>()

    func writeContents(path: ProviderPath, from source: any WriteSource, options: WriteOptions) async throws
        -> FileObject
    {
        keepsParts.append(options.resumption != nil)
        return try await underlying.writeContents(path: path, from: source, options: options)
    }
}

@Suite struct ResumptionTests {
    @Test func `A part has the same name in every run`() throws {
        let part = try TemporaryName.make(beside: ProviderPath("/d/a"), for: "1")
        // FNV-1a of the bytes 61 00 31, computed by another program.
        #expect(part.string == "/d/.3hthufwk0y7zj.carrel-part")
        #expect(TemporaryName.matches(String(decoding: part.nameBytes, as: UTF8.self)))
    }

    @Test func `An error of a step under a temporary name is told of the name to be`() throws {
        let path = try ProviderPath("/d/ä")
        let part = try TemporaryName.make(beside: path)
        let url = try #require(URL(string: "dav://nas.example/x/\(part.percentEncoded)"))
        func told(_ at: ProviderPath) -> CocoaError? {
            let error = FileError.make(errno: EACCES, path: at, url: url, writing: true)
            return TemporaryName.error(error, under: part, of: path) as? CocoaError
        }
        let error = try #require(told(part))
        #expect(error.code == .fileWriteNoPermission && (error.underlying as? POSIXError)?.code == .EACCES)
        #expect(error.sentence.contains("“/d/ä”") && !error.sentence.contains(TemporaryName.suffix))
        #expect(error.userInfo[NSFilePathErrorKey] as? String == "/d/ä")
        #expect((error.userInfo[NSURLErrorKey] as? URL)?.absoluteString == "dav://nas.example/x/d/%C3%A4")
        #expect(told(try part.appending("in"))?.sentence.contains("“/d/ä/in”") == true)
        #expect(told(try ProviderPath("/d/other"))?.sentence.contains("“/d/other”") == true)
    }

    @Test func `Every name, folder and identity has a part of its own`() throws {
        let parts = try [("/d/a", "1"), ("/d/a", "2"), ("/d/b", "1"), ("/e/a", "1"), ("/d/a", "")].map {
            try TemporaryName.make(beside: ProviderPath($0.0), for: $0.1)
        }
        #expect(Set(parts).count == parts.count)
    }

    @Test func `Where writes are not resumed, the identity changes nothing`() async throws {
        let provider = MemoryFileProvider()
        #expect(try await !provider.capabilities().has(.resumingWrites))
        let path = try ProviderPath("/a")
        try await provider.writeContents(
            path: path, from: DataSource(Data([1])), options: WriteOptions(resumption: "1"))
        #expect(try await provider.contents(path: path) == Data([1]))
    }

    @Test(arguments: [(-3600, false), (0, false), (1.75, false), (2, true), (3600, true)] as [(Double, Bool)])
    func `a version that only a date tells is one alone once the date is two seconds old`(age: Double, isOne: Bool) {
        let start = Date(timeIntervalSinceReferenceDate: 800_000_000)
        let dated = FileReaderAttributes(size: 1, validator: "date", validatorDate: start - age)
        #expect(dated.namesOneVersion(at: start) == isOne)
        #expect(FileReaderAttributes(size: 1, validator: "\"tag\"").namesOneVersion(at: start))
        #expect(!FileReaderAttributes(size: 1).namesOneVersion(at: start))
    }

    @Test func `a copy leaves no part of a file that only a date tells while its next version may have the same date`()
        async throws
    {
        let (path, target) = (try ProviderPath("a"), NotingProvider())
        for age in [-3600.0, 3600] {
            let source = DatedProvider(date: Date(timeIntervalSinceNow: -age))
            try await source.writeContents(path: path, contents: Data([1, 2, 3]))
            let outcome = try await FileCopy(path, of: source).resume(
                to: path, of: target, options: WriteOptions(overwrite: true))
            #expect(outcome?.bytes == 3)
        }
        #expect(target.keepsParts.values == [false, true])
        #expect(try await target.contents(path: path) == Data([1, 2, 3]))
    }

    /// Copies a file that is there already.
    ///
    /// - Parameter age: Seconds between the source's time and that of what is there.
    private func isSkipped(_ source: Data, over there: Data, age: Double, in target: any FileProvider) async throws
        -> Bool
    {
        let (path, memory) = (try ProviderPath("a"), MemoryFileProvider())
        try await target.writeContents(path: path, contents: there, overwrite: true)
        let date = try #require(try await target.attributesOfItem(path: path).modifiedDate)
        try await memory.writeContents(
            path: path, from: DataSource(source), options: WriteOptions(modificationDate: date - age))
        var copy = TreeCopy(overwrite: true)
        copy.resumes = true
        let listed = try await memory.attributesOfItem(path: path)
        let outcome = try await copy.copyFile(path, of: memory, to: path, of: target, listed: listed)
        #expect(try await target.contents(path: path) == (outcome == nil ? there : source))
        return outcome == nil
    }

    @Test func `where files have times of the storage's own, a newer file with the same ends is a finished copy`()
        async throws
    {
        let target = TimelessProvider()
        let data = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) })
        #expect(try await isSkipped(data, over: data, age: 10, in: target))
        #expect(try await !isSkipped(data, over: data, age: -10, in: target))
        for index in [0, data.count - 1] {
            var other = data
            other[index] ^= 1
            #expect(try await !isSkipped(data, over: other, age: 10, in: target))
        }
        // Elsewhere the time says it.
        #expect(try await !isSkipped(data, over: data, age: 10, in: MemoryFileProvider()))
        #expect(try await isSkipped(data, over: data, age: 0, in: MemoryFileProvider()))
    }

    @Test func `What a target keeps of a file is what its capabilities say`() {
        var capabilities = Capabilities(readCost: .local)
        #expect(CopyMetadata(keptBy: capabilities).isEmpty)
        capabilities[.settingPermissions] = .native
        #expect(CopyMetadata(keptBy: capabilities) == .permissions)
        capabilities[.settingModificationDate] = .native
        capabilities[.extendedAttributes] = .native
        #expect(CopyMetadata(keptBy: capabilities) == .all)
    }

    @Test func `Capabilities keep every ability when they are encoded`() throws {
        var capabilities = Capabilities(readCost: .request, hashKinds: ["sha256"])
        for ability in Capabilities.Ability.allCases { capabilities[ability] = .derived }
        capabilities[.resumingWrites] = .native
        let encoded = try JSONEncoder().encode(capabilities)
        #expect(try JSONDecoder().decode(Capabilities.self, from: encoded) == capabilities)
        #expect(String(decoding: encoded, as: UTF8.self).contains(#""resumingWrites":"native""#))
    }
}
