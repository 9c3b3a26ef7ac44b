import FileProviderCore
import Foundation

extension Behaviour {
    /// Writing in general.
    static let writing: [Behaviour] = [
        Behaviour("A write returns the file's path, name, type and size", .ability(.writing)) { trial in
            let path = try trial.at("file.txt")
            let file = try await trial.provider.writeContents(path: path, contents: Pattern.data(321))
            try expect(
                file.path == path && file.name == "file.txt",
                "Expected \(path), but it returned \(file.path), “\(file.name)”.")
            // Without a size, only the storage's answer proves the write: it may be a drop box.
            try expect(
                file.isRegularFile && file.size ?? 321 == 321,
                "Expected a file of 321 bytes, but it is \(file.type), \(file.size ?? -1).")
        },
        Behaviour("A write leaves no temporary name", .ability(.writing)) { trial in
            try await trial.write("file", Pattern.data(100_000))
            try await trial.expectNames(["file"], when: "After a write")
        },
        Behaviour("A write in place arrives", .ability(.writing)) { trial in
            let path = try trial.at("file")
            let data = Pattern.data(70_000)
            try await trial.provider.writeContents(
                path: path, from: DataSource(data), options: WriteOptions(placement: .inPlace))
            try await trial.expectNames(["file"], when: "After a write in place")
            try await trial.expectBytes(data, at: path, when: "A write in place")
        },
        Behaviour("A write without its parent is refused", .ability(.writing), .makingParents(false)) { trial in
            let path = try trial.at("missing/file")
            try await expectFailure("Writing without the parent folder", .noSuchFile) {
                try await trial.provider.writeContents(path: path, contents: Data([1]))
            }
            try await trial.expectNames([], when: "After a refused write")
        },
        Behaviour("A write below a file is refused", .ability(.writing), .makingParents(false)) { trial in
            let file = try await trial.write("file")
            let path = try trial.at("file/inner")
            try await expectFailure("Writing below a file") {
                try await trial.provider.writeContents(path: path, contents: Data([1]), overwrite: true)
            }
            try await trial.expectNames(["file"], when: "After a refused write")
            try await trial.expectBytes(Pattern.data(100), at: file, when: "After a refused write")
        },
        Behaviour("A write keeps the permissions it is given", .ability(.writing), .ability(.settingPermissions)) {
            trial in
            for permissions: UInt16 in [0o640, 0o600] {
                let path = try trial.at("file")
                try await trial.provider.writeContents(
                    path: path, from: DataSource(Data([1])),
                    options: WriteOptions(overwrite: true, permissions: permissions))
                guard let found = try await trial.provider.attributesOfItem(path: path).permissions else {
                    throw SkippedBehaviour(reason: "needs permissions in attributes")
                }
                try expect(
                    found & 0o777 == permissions,
                    "Expected the permissions 0o\(String(permissions, radix: 8)), but they are "
                        + "0o\(String(found, radix: 8))."
                )
            }
        },
        Behaviour("Extended attributes are kept, and can be removed", .ability(.writing), .ability(.extendedAttributes))
        { trial in
            guard let provider = trial.provider as? any FileProviderExtendedAttributes else {
                throw Unmet(
                    "Expected a provider that declares extendedAttributes to conform to FileProviderExtendedAttributes."
                )
            }
            let path = try await trial.write("file")
            let name = "user.carrel.conformance"
            do { try await provider.setExtendedAttribute(name, to: [0, 0xFF], path: path) } catch let error
                as CocoaError
                where error.code == .featureUnsupported
            {
                throw SkippedBehaviour(reason: "needs a file system with extended attributes")
            }
            let kept = try await provider.extendedAttributes(path: path)[name]
            try expect(kept == [0, 0xFF], "Expected the two bytes of the attribute, but they are \(kept ?? []).")
            try await provider.removeExtendedAttribute(name, path: path)
            let left = try await provider.extendedAttributes(path: path)[name]
            try expect(left == nil, "Expected the attribute to be gone, but it is \(left ?? []).")
            try await trial.expectBytes(Pattern.data(100), at: path, when: "After an attribute came and went")
        },
        Behaviour(
            "A write sets the modification time it is given", .ability(.writing), .ability(.settingModificationDate)
        ) { trial in
            let date = Date(timeIntervalSince1970: 981_173_106)
            let path = try trial.at("file")
            try await trial.provider.writeContents(
                path: path, from: DataSource(Data([1])), options: WriteOptions(modificationDate: date))
            let step = trial.timeStep
            let found = try await trial.provider.attributesOfItem(path: path).modifiedDate
            try expect(
                found.map { abs($0.timeIntervalSince(date)) <= step } ?? false,
                "Expected the modification time \(date) within \(step) s, but it is \(found.map { "\($0)" } ?? "unknown")."
            )
        },
    ]
}
