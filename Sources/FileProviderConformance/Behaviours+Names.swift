import FileProviderCore
import Foundation

extension Behaviour {
    /// Every hostile name through all operations, as a file and as a folder: two behaviours each.
    static let names: [Behaviour] = HostileName.all.flatMap { name in
        let needs: Requirement =
            String(validating: name.bytes, as: UTF8.self) == nil
            ? .ability(.rawNames) : name.bytes.count > 200 ? .nameLength(name.bytes.count) : .ability(.writing)
        return [
            Behaviour(name.fileBehaviour, .ability(.writing), needs) { try await $0.tryFile(name) },
            Behaviour(name.folderBehaviour, .ability(.writing), needs) { try await $0.tryFolder(name) },
        ]
    }

    /// Rules for names as such.
    static let nameRules: [Behaviour] = lengths + pairs + locations

    private static let lengths: [Behaviour] = [
        Behaviour("A name of 200 bytes is kept", .ability(.writing), .nameLength(200)) { trial in
            let name = String(repeating: "0123456789", count: 20)
            let path = try await trial.write(name)
            try await trial.expectNames([name], when: "After writing a name of 200 bytes")
            try await trial.expectBytes(Pattern.data(100), at: path, when: "A file with a name of 200 bytes")
        },
        Behaviour("A folder's name of 200 bytes is kept", .nameLength(200)) { trial in
            let name = String(repeating: "ü", count: 100)
            try await trial.makeFolder(name)
            try await trial.expectNames([name], when: "After making a folder with a name of 200 bytes")
        },
        Behaviour("A name longer than declared is refused, not cut", .ability(.writing)) { trial in
            guard let maxLength = trial.capabilities.longestName else {
                throw SkippedBehaviour(reason: "needs a limit of name lengths")
            }
            let name = String(repeating: "x", count: maxLength + 1)
            try await expectFailure("Writing to a name of \(maxLength + 1) bytes") { try await trial.write(name) }
            try await trial.expectNames([], when: "After a refused name")
        },
    ]

    /// Names that a storage may take for one, side by side.
    private static let pairs: [Behaviour] = [
        (NamePair.composition, "A composed and a decomposed name", Requirement?.none),
        (NamePair.percent, "A percent literal and what it would decode to", nil),
        (NamePair.blank, "A name with a blank at its end and without", nil),
        (NamePair.letterCase, "Names that differ by case", .caseSensitivity),
    ].flatMap { pair, what, need in
        let needs = need ?? .ability(.writing)
        return [
            Behaviour(
                "\(what) are two files\(pair.mayBeRefused ? ", or one is refused" : "")", .ability(.writing), needs
            ) {
                try await $0.tryFiles(pair)
            },
            Behaviour(
                "\(what) are two folders\(pair.mayBeRefused ? ", or one is refused" : "")", .ability(.writing), needs
            ) {
                try await $0.tryFolders(pair)
            },
        ]
    }

    private static let locations: [Behaviour] = [
        Behaviour("An item can be renamed to a hostile name and copied from it", .ability(.writing), .ability(.moving))
        { trial in
            let path = try await trial.write("plain")
            let hostile = try trial.at("50% #1 + ünï;x")
            try await trial.provider.moveItem(path: path, to: hostile)
            try await trial.provider.copyItem(path: hostile, to: try trial.at("%41"))
            try await trial.expectNames(["50% #1 + ünï;x", "%41"], when: "After a rename and a copy")
            try await trial.expectBytes(Pattern.data(100), at: try trial.at("%41"), when: "The copy")
        },
        Behaviour("Every path has a URL of its own, percent-encoded") { trial in
            let paths = try HostileName.all.map { try trial.folder.appending(nameBytes: $0.bytes) }
            let urls = paths.map { trial.provider.url(of: $0).absoluteString }
            try expect(
                Set(urls.map { Array($0.utf8) }).count == paths.count,
                "Expected a URL for each hostile name, but some are alike.")
            let legal = Set(
                "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~:/?#[]@!$&'()*+,;=%".utf8)
            for url in urls {
                try expect(
                    url.utf8.allSatisfy(legal.contains), "Expected only characters of RFC 3986, but it is \(url).")
            }
            guard trial.provider.baseURL != nil else { return }
            for (path, url) in zip(paths, urls) {
                let last = url.split(separator: "/").last.map(String.init) ?? ""
                let decoded = try? ProviderPath(percentEncoded: last).nameBytes
                try expect(decoded == path.nameBytes, "Expected \(url) to end with “\(path.name)”, percent-encoded.")
            }
        },
    ]
}

/// Two names that differ.
private enum NamePair {
    case composition, percent, blank, letterCase

    var names: (String, String) {
        switch self {
        case .composition: ("caf\u{E9}", "cafe\u{301}")
        case .percent: ("%41%2F", "A")
        case .blank: ("end", "end ")
        case .letterCase: ("case", "CASE")
        }
    }

    /// Whether some storages cannot have both: they refuse the second, and never take it for the first.
    var mayBeRefused: Bool { self == .composition || self == .blank }
}

extension Trial {
    fileprivate func tryFile(_ name: HostileName) async throws {
        let path = try folder.appending(nameBytes: name.bytes)
        let data = Pattern.data(50)
        try await make(name) { try await provider.writeContents(path: path, contents: data) }
        try await expectPaths([path], when: "After writing \(name.shown)")
        let found = try await provider.attributesOfItem(path: path)
        try expect(
            found.path == path && found.isRegularFile && found.size == 50,
            "Expected \(name.shown) with 50 bytes, but it is \(found.path), \(found.size ?? -1).")
        try await expectBytes(data, at: path, when: "A file called \(name.shown)")
        try await tryTransfers(of: path, name: name) { try await expectBytes(data, at: $0, when: $1) }
        try await provider.removeItem(path: path, recursive: false)
        try await expectMissing(path, when: "After removing \(name.shown)")
    }

    fileprivate func tryFolder(_ name: HostileName) async throws {
        let path = try folder.appending(nameBytes: name.bytes)
        try await make(name) { try await provider.createFolder(path: path) }
        try await expectPaths([path], when: "After making \(name.shown)")
        let found = try await provider.attributesOfItem(path: path)
        try expect(
            found.path == path && found.isDirectory,
            "Expected a folder \(name.shown), but it is \(found.path), \(found.type.rawValue).")
        try await provider.writeContents(path: try path.appending("%25 file"), contents: Pattern.data(70))
        try await expectNames(["%25 file"], in: path, when: "A folder called \(name.shown)")
        try await tryTransfers(of: path, name: name) {
            try await expectBytes(Pattern.data(70), at: try $0.appending("%25 file"), when: $1)
        }
        try await removeTree(path)
        try await expectMissing(path, when: "After removing \(name.shown)")
    }

    /// Creates an item of this name; ends the behaviour if the storage refuses the name and nothing was created.
    private func make(_ name: HostileName, _ body: () async throws -> Void) async throws {
        do { try await body() } catch let error where name.mayBeRefused && !error.isTransient && !error.isCancellation {
            try await expectNames([], when: "After the name \(name.shown) was refused")
            throw RefusedName(error: error)
        }
    }

    /// Copies the item into a folder under its own name, and moves it away and back.
    private func tryTransfers(
        of path: ProviderPath, name: HostileName,
        _ expectWhole: (_ path: ProviderPath, _ when: String) async throws -> Void
    ) async throws {
        let aside = try await makeFolder("aside")
        let copy = try aside.appending(nameBytes: name.bytes)
        try await provider.copyItem(path: path, to: copy)
        try await expectPaths([copy], in: aside, when: "After copying \(name.shown)")
        try await expectWhole(copy, "The copy of \(name.shown)")
        guard capabilities.has(.moving) else { return }
        let plain = try at("plain")
        try await provider.moveItem(path: path, to: plain)
        try await expectPaths([aside, plain], when: "After moving \(name.shown) away")
        try await provider.moveItem(path: plain, to: path)
        try await expectPaths([aside, path], when: "After moving \(name.shown) back")
        try await expectWhole(path, "After moving \(name.shown) away and back")
    }

    fileprivate func tryFiles(_ pair: NamePair) async throws {
        let (one, other) = pair.names
        let first = try await write(one, Pattern.data(50))
        do { try await write(other, Pattern.data(60, seed: 2)) } catch let error
            where pair.mayBeRefused && !error.isTransient
        {
            try await expectBytes(Pattern.data(50), at: first, when: "After the twin was refused")
            throw RefusedName(error: error)
        }
        try await expectNames([one, other], when: "After writing both")
        try await expectBytes(Pattern.data(50), at: first, when: "The first of both")
        try await expectBytes(Pattern.data(60, seed: 2), at: try at(other), when: "The second of both")
    }

    fileprivate func tryFolders(_ pair: NamePair) async throws {
        let (one, other) = pair.names
        let first = try await makeFolder(one)
        do { try await makeFolder(other) } catch let error where pair.mayBeRefused && !error.isTransient {
            try await expectNames([], in: first, when: "After the twin was refused")
            throw RefusedName(error: error)
        }
        try await write("\(other)/file")
        try await expectNames([one, other], when: "After making both")
        try await expectNames([], in: first, when: "The first of both")
        try await expectNames(["file"], in: try at(other), when: "The second of both")
    }
}
