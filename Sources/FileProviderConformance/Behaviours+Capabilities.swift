import FileProviderCore
import Foundation

extension Behaviour {
    /// The declared capabilities, and clean failures of unavailable operations.
    static let capabilities: [Behaviour] = declarations + promises + unavailable

    private static let declarations: [Behaviour] = [
        Behaviour(lookingOnly: "Asking for the capabilities twice gives the same answer") { trial in
            let again = try await trial.provider.capabilities()
            try expect(
                again == trial.capabilities, "Expected the same capabilities twice, but the second answer differs.")
        },
        Behaviour(lookingOnly: "The cost of reading is made of sensible numbers") { trial in
            let cost = trial.capabilities.readCost
            let isSensible =
                cost.roundTripsToOpen >= 0 && cost.roundTripsPerRange >= 0 && cost.preferredBlock > 0
                && cost.coalescingGap >= 0
                && cost.concurrentRanges > 0
            try expect(
                isSensible, "Expected no negative cost, a block and at least one range at once, but it is \(cost).")
        },
        Behaviour(lookingOnly: "Declared limits are positive") { trial in
            let limits = trial.capabilities
            let areSensible =
                limits.timePrecision ?? 1 > 0 && limits.largestFile ?? 1 > 0 && limits.longestName ?? 1 > 0
            try expect(areSensible, "Expected time step, largest file and longest name to be above 0 or nil.")
        },
        Behaviour(lookingOnly: "A root that answers is a folder", .ability(.folderCreation)) { trial in
            // A server may refuse access to its root, and serve items below it.
            guard (try? await trial.provider.checkReachability()) != nil else {
                throw SkippedBehaviour(reason: "needs a root that answers")
            }
            try await trial.expectFolder(.root, when: "The root")
        },
        Behaviour(lookingOnly: "Neither base URL nor description shows a user or password") { trial in
            let base = trial.provider.baseURL
            try expect(
                base?.user == nil && base?.password == nil,
                "Expected a base URL without user and password, but it has one.")
            let text = trial.provider.debugDescription
            let authority = text.components(separatedBy: "://").dropFirst().first?.prefix { $0 != "/" } ?? ""
            try expect(
                !authority.contains("@"),
                "Expected a description without user and password, but there is an “@” in its URL.")
            try expect(
                !type(of: trial.provider).type.isEmpty, "Expected the provider's type to have a name, but it is empty.")
        },
        Behaviour(lookingOnly: "Capacity and free space are sensible", .ability(.storageProperties)) { trial in
            guard let volume = try await trial.provider.storageProperties() else {
                throw Unmet("Expected storage properties, as the ability is declared, but there are none.")
            }
            let numbers = [volume.totalCapacity, volume.availableCapacity, volume.usage].compactMap { $0 }
            try expect(numbers.allSatisfy { $0 >= 0 }, "Expected no negative capacity, but it is \(volume).")
            let fits = volume.totalCapacity.flatMap { total in volume.availableCapacity.map { $0 <= total } } ?? true
            try expect(fits, "Expected no more free space than there is space, but it is \(volume).")
        },
    ]

    private static let promises: [Behaviour] = [
        Behaviour(lookingOnly: "A provider that declares public links can be asked for them", .ability(.publicLinks)) {
            trial in
            try expect(
                trial.provider is any FileProviderSharing,
                "Expected a provider that declares publicLinks to conform to FileProviderSharing, but it does not.")
        },
        Behaviour(
            "A folder's tag tells of a write two folders down", .native(.treeTags), .ability(.writing)
        ) { trial in
            try await trial.makeFolder("near")
            try await trial.makeFolder("near/far")
            let before = try await trial.provider.attributesOfItem(path: trial.folder).entryTag
            try await trial.write("near/far/file")
            let after = try await trial.provider.attributesOfItem(path: trial.folder).entryTag
            try expect(
                before != nil && after != nil,
                "Expected a folder to have a tag, as treeTags is declared, but it has none.")
            try expect(
                before != after, "Expected the tag of a folder to change with a file two folders down, but it stayed.")
        },
    ]

    private static let unavailable: [Behaviour] = [
        Behaviour(lookingOnly: "Without storage properties nothing is made up", .unavailable(.storageProperties)) {
            trial in
            // A failure says so as well.
            guard let volume = try? await trial.provider.storageProperties() else { return }
            throw Unmet("Expected nil or an error, as the ability is unavailable, but it is \(volume).")
        },
        Behaviour(lookingOnly: "Where writing is unavailable, it fails and changes nothing", .unavailable(.writing)) {
            trial in
            let path = try trial.at("carrel-conformance-no-file")
            try await expectFailure("Writing where that is unavailable") {
                try await trial.provider.writeContents(path: path, contents: Data([1]))
                // This is a violation already; do not leave the item there.
                try? await trial.provider.removeItem(path: path)
            }
            try await trial.expectMissing(path, when: "After a refused write")
        },
        Behaviour(
            lookingOnly: "Where making folders is unavailable, it fails and changes nothing",
            .unavailable(.folderCreation)
        ) { trial in
            let path = try trial.at("carrel-conformance-no-folder")
            try await expectFailure("Making a folder where that is unavailable") {
                try await trial.provider.createFolder(path: path)
                try? await trial.provider.removeItem(path: path)
            }
            try await trial.expectMissing(path, when: "After a refused folder")
        },
        Behaviour(
            "Where moving is unavailable, it fails and changes nothing", .ability(.writing), .unavailable(.moving)
        ) { trial in
            let path = try await trial.write("stays")
            let target = try trial.at("target")
            try await expectFailure("Moving where that is unavailable") {
                try await trial.provider.moveItem(path: path, to: target)
            }
            try await trial.expectNames(["stays"], when: "After a refused move")
            try await trial.expectBytes(Pattern.data(100), at: path, when: "After a refused move")
        },
        Behaviour(
            "Where removing trees is unavailable, it fails and changes nothing", .ability(.writing),
            .unavailable(.recursiveRemoval)
        ) { trial in
            let tree = try await trial.makeTree("tree")
            try await expectFailure("Removing a tree where that is unavailable") {
                try await trial.provider.removeItem(path: tree)
            }
            try await trial.expectTree(tree, when: "After a refused removal")
        },
        Behaviour(
            "Where sources without a length are unavailable, they fail and leave nothing", .ability(.writing),
            .unavailable(.streamedWriting)
        ) { trial in
            let path = try trial.at("streamed")
            let source = ScriptedSource(Pattern.data(1000), length: nil)
            try await expectFailure("Writing from a source of unknown length where that is unavailable") {
                try await trial.provider.writeContents(path: path, from: source, options: WriteOptions())
            }
            try await trial.expectNames([], when: "After a refused write")
        },
        Behaviour(
            "Where conditional writes are unavailable, one with a condition fails", .ability(.writing),
            .unavailable(.conditionalWriting)
        ) { trial in
            let path = try await trial.write("guarded")
            try await expectFailure("Writing with ifMatch where that is unavailable") {
                try await trial.provider.writeContents(
                    path: path, from: DataSource(Data([1])),
                    options: WriteOptions(overwrite: true, ifMatch: "\"some-version\""))
            }
            try await trial.expectBytes(Pattern.data(100), at: path, when: "After a refused conditional write")
        },
        Behaviour("Where only UTF-8 names are kept, others are refused", .ability(.writing), .unavailable(.rawNames)) {
            trial in
            let path = try trial.folder.appending(nameBytes: [0x66, 0xFF, 0xFE])
            try await expectFailure("Writing to a name that is not UTF-8 where that is unavailable") {
                try await trial.provider.writeContents(path: path, contents: Data([1]))
            }
            try await trial.expectNames([], when: "After a refused name")
        },
    ]
}
