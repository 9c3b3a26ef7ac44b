import FileProviderCore
import Foundation

extension Behaviour {
    /// The result of a write, the listing and the bytes agree.
    static let arriving: [Behaviour] = [
        Behaviour("What a write returns is there", .ability(.writing)) { trial in
            for length in [0, 1, 100_000] {
                try await trial.expectArrival(of: Pattern.data(length), named: "new \(length)", overwrite: false)
            }
        },
        Behaviour("What a replacing write returns is there", .ability(.writing)) { trial in
            try await trial.write("file", Pattern.data(5000))
            for length in [70_000, 300, 0] {
                try await trial.expectArrival(
                    of: Pattern.data(length, seed: UInt64(length + 2)), named: "file", overwrite: true)
            }
        },
        Behaviour("What is read has the size that was listed", .ability(.writing)) { trial in
            let path = try await trial.write("file", Pattern.data(54_321))
            guard let listed = try await trial.list().first(where: { $0.path == path })?.size else {
                throw SkippedBehaviour(reason: "needs sizes in listings")
            }
            let (told, extent, count) = try await trial.provider.withReader(path: path) { reader in
                let (data, extent) = try await reader.read(.whole)
                return (try await reader.attributes().size, extent, Int64(data.count))
            }
            try expect(
                [told, extent.size, extent.count, count].allSatisfy { $0 == listed },
                "Expected \(listed) bytes, as listed, but the reader tells \(told), the extent \(extent.count) of \(extent.size), and \(count) came."
            )
        },
        Behaviour("A write without a size in its result has arrived, or cannot be looked at", .ability(.writing)) {
            trial in
            let data = Pattern.data(4000)
            let path = try trial.at("file")
            let written = try await trial.provider.writeContents(path: path, contents: data)
            guard written.size == nil else { return }
            let found: Data
            do { found = try await trial.provider.contents(path: path) } catch {
                throw SkippedBehaviour(reason: "what is written cannot be read")
            }
            try expect(found == data, "Expected the \(data.count) bytes written, but \(difference(found, from: data)).")
        },
    ]

    /// A listing has every item, or reports at its end what it leaves out.
    static let leavingOut: [Behaviour] = [
        Behaviour("What a listing leaves out is reported at its end", .ability(.writing)) { trial in
            let written = try await trial.writeUnusualNames()
            let (items, leftOut) = try await trial.pages()
            let missing = written.filter { path in !items.contains { $0.path == path } }
            try expect(
                missing.count <= leftOut,
                "Expected every item or a count of those left out, but “\(missing.first?.name ?? "")” is missing and \(leftOut) were reported."
            )
            try expect(
                Set(items.map(\.path)).count == items.count,
                "Expected each name once in the listing, but one was listed twice.")
        },
        Behaviour("A walk gives every item, or says what was left out", .ability(.writing)) { trial in
            let written = try await trial.writeUnusualNames()
            let (items, leftOut) = (CollectedValues<ProviderPath>(), CollectedValues<Int>())
            try await trial.provider.walk(path: trial.folder) { _, error in
                guard let names = error.unusableNames else { throw error }
                leftOut.append(names.count)
            } visit: {
                items.append($0.path)
            }
            let missing = Set(written).subtracting(items.values)
            try expect(
                missing.count <= leftOut.values.reduce(0, +),
                "Expected every item or a count of those left out, but “\(missing.first?.name ?? "")” is missing.")
        },
    ]
}

extension Trial {
    /// Expects a write to return the attributes that the storage reports; a storage that keeps fewer bytes fails.
    fileprivate func expectArrival(of data: Data, named name: String, overwrite: Bool) async throws {
        let path = try at(name)
        let written = try await provider.writeContents(path: path, contents: data, overwrite: overwrite)
        guard let size = written.size else { return }
        try expect(
            size == data.count, "Expected the result of a write of \(data.count) bytes to say so, but it says \(size).")
        let sizes = [
            try await provider.attributesOfItem(path: path).size, try await list().first { $0.path == path }?.size,
        ].compactMap(\.self)
        try expect(
            sizes.allSatisfy { $0 == size },
            "Expected \(size) bytes, as the write returned, but attributes and listing say \(sizes).")
        try await expectBytes(data, at: path, when: "A write that returned \(size) bytes")
    }

    /// Writes files with the names that some storages cannot list; refused names are left out.
    fileprivate func writeUnusualNames() async throws -> [ProviderPath] {
        let listsDots = try await provider.capabilities().listsEveryName
        var written: [ProviderPath] = []
        for name in ["plain", "…", " ", "a\\b", "tab\there", "line\nbreak", "..dots", "%2F", "é", "e\u{301}"] {
            // A server that declares it hides names with a leading dot, so they cannot be counted.
            if name.hasPrefix("."), !listsDots { continue }
            let path = try folder.appending(name)
            do { try await provider.writeContents(path: path, contents: Data([1])) } catch { continue }
            written.append(path)
        }
        return written
    }

    /// Returns the items of the trial's folder, and how many its listing left out.
    fileprivate func pages() async throws -> ([FileObject], Int) {
        let items = CollectedValues<FileObject>()
        do {
            try await provider.contentsOfDirectory(path: folder) { page in for item in page { items.append(item) } }
        } catch {
            guard let names = error.unusableNames else { throw error }
            try expect(
                names.count > 0,
                "Expected a listing that says it is incomplete to count what is missing, but it counts 0.")
            return (items.values, names.count)
        }
        return (items.values, 0)
    }
}
