import FileProviderCore

/// What holds for a pair of folders, and what follows from it for one path: no listing, clock or database is looked at
/// here.
struct SyncRules: Sendable {
    var direction: SyncOptions.Direction
    var deletes: Bool
    var comparesContent: Bool
    /// Whether nothing was ever agreed on.
    var isFirst: Bool
    /// Whether the last run was a mirror: it may have left at the destination what the source had removed.
    var followsMirror = false
    var capabilities: Sides<Capabilities>
    var hasLinks: Sides<Bool>
    /// Whether links are taken that lead out of the folder, or may.
    var takesAllLinks = false

    /// What is to become of one path.
    enum Decision: Equatable {
        case nothing
        /// Nothing, and the state knows nothing of it.
        case leave
        case agree
        case forget
        case transfer(to: SyncSide, keepsOld: Bool)
        /// The item goes; one of another type is made at this path once it has, in the next pass.
        case remove(on: SyncSide, keepsOld: Bool)
        case conflict(renamed: SyncSide)
        case skip(String)
        /// The file on this side is not what was written there; it is left to the next run.
        case unkept(SyncSide)
    }

    /// Decides about `difference`; of folders that are to go, before what they hold is known.
    func decide(_ difference: SyncDifference) -> Decision {
        if let unkept = difference.unkept, let decision = decide(unkept, difference) { return decision }
        let (source, destination) = (difference.item(on: .source), difference.item(on: .destination))
        switch (source, destination) {
        case (nil, nil): return difference.agreed == nil ? .nothing : .forget
        case (let source?, let destination?):
            if source.type != destination.type { return types(source, destination, difference) }
            return versions(source, destination, difference)
        case (_?, nil):
            return direction == .mirror ? .transfer(to: .destination, keepsOld: false) : alone(.source, difference)
        case (nil, _?): return direction == .mirror ? surplus(difference) : alone(.destination, difference)
        }
    }

    /// An item that only `side` has, in two-way sync: what changed outlives a removal.
    private func alone(_ side: SyncSide, _ difference: SyncDifference) -> Decision {
        let stays = difference.isChanged(on: side) || isFirst || followsMirror && side == .destination
        return stays ? .transfer(to: side.other, keepsOld: false) : .remove(on: side, keepsOld: false)
    }

    /// An item that only a mirror's destination has.
    private func surplus(_ difference: SyncDifference) -> Decision {
        let isOwn = difference.isChanged(on: .destination)
        if deletes, !isFirst { return .remove(on: .destination, keepsOld: isOwn) }
        // Both names cannot be there: it makes way for what the source has renamed.
        return difference.twins.contains { makesWay(difference, for: $0) }
            ? .remove(on: .destination, keepsOld: true) : .leave
    }

    /// Whether a mirror's destination has a file by a name that it does not tell from the one which the source has
    /// instead.
    private func makesWay(_ previous: SyncDifference, for new: SyncDifference) -> Bool {
        guard previous.agreed != nil, previous.item(on: .source) == nil, new.item(on: .destination) == nil else {
            return false
        }
        guard let item = new.item(on: .source), item.type != .directory,
            previous.item(on: .destination)?.type == item.type
        else {
            return false
        }
        return !capabilities.destination.tells(previous.path, from: new.path)
    }

    private func types(_ source: SyncItem, _ destination: SyncItem, _ difference: SyncDifference) -> Decision {
        if direction == .mirror {
            if destination.type == .directory, !deletes || isFirst {
                return .skip("The destination has a folder of this name, and nothing is to be removed there.")
            }
            // Without `deletes`, what the destination has may be the only copy.
            return .remove(on: .destination, keepsOld: !deletes || isFirst || difference.isChanged(on: .destination))
        }
        if difference.agreed != nil, !isFirst {
            // What a mirror left there may be the only copy, too.
            if !difference.isChanged(on: .destination), !followsMirror {
                return .remove(on: .destination, keepsOld: false)
            }
            if !difference.isChanged(on: .source) { return .remove(on: .source, keepsOld: false) }
        }
        return .conflict(
            renamed: source.type == .directory ? .destination : destination.type == .directory ? .source : .destination)
    }

    private func versions(_ source: SyncItem, _ destination: SyncItem, _ difference: SyncDifference) -> Decision {
        if source.type == .directory { return difference.agreed == nil ? .agree : .nothing }
        let isSame = difference.isSame ?? (source.type == .symbolicLink ? source.tag == destination.tag : nil)
        switch (difference.isChanged(on: .source), difference.isChanged(on: .destination)) {
        case (false, false): return .nothing
        case (true, false): return isSame == true ? .agree : .transfer(to: .destination, keepsOld: false)
        case (false, true) where direction == .twoWay:
            return isSame == true ? .agree : .transfer(to: .source, keepsOld: false)
        case (_, true):
            if isSame == true || (isSame == nil && looksSame(source, destination: destination, difference: difference))
            {
                return .agree
            }
            if direction == .mirror { return .transfer(to: .destination, keepsOld: true) }
            // They could not be compared, which is told where it was tried.
            if isSame == nil, source.size == destination.size { return .nothing }
            return .conflict(renamed: .destination)
        }
    }

    /// Whether contents have to be compared before anything can be decided.
    func needsComparison(_ difference: SyncDifference) -> Bool {
        guard let source = difference.item(on: .source), let destination = difference.item(on: .destination) else {
            return false
        }
        guard source.type == .regular, destination.type == .regular else { return false }
        let hasBoth =
            difference.isChanged(on: .destination) && (direction == .mirror || difference.isChanged(on: .source))
        guard hasBoth || difference.isVoid else { return false }
        guard source.size == nil || destination.size == nil || source.size == destination.size else { return false }
        return !looksSame(source, destination: destination, difference: difference)
    }

    /// Whether two files of a pair's first run are one, by size and time in the coarser of both steps.
    private func looksSame(_ source: SyncItem, destination: SyncItem, difference: SyncDifference) -> Bool {
        guard isFirst, difference.agreed == nil, !comparesContent, let size = source.size, size == destination.size
        else { return false }
        guard let one = source.time, let other = destination.time else { return false }
        // Where a storage does not say how exact its times are, they prove nothing.
        guard let step = capabilities.source.timePrecision, let otherStep = capabilities.destination.timePrecision
        else { return false }
        return Double(SyncItem.gap(one, other)) < max(1, max(step, otherStep) * 1e6)
    }

    /// Why `side` cannot hold an item, in a sentence; nil where it can, as far as is known.
    func refusal(of item: SyncItem, at difference: SyncDifference, on side: SyncSide) -> String? {
        let limits = capabilities[side]
        let name = difference.path.nameBytes
        let what = side == .source ? "source" : "destination"
        if let maxLength = limits.longestName, name.count > maxLength {
            return "The \(what) takes names of \(maxLength) bytes at most."
        }
        if !limits.has(.rawNames), String(validating: name, as: UTF8.self) == nil {
            return "The \(what) takes no names that are not UTF-8."
        }
        if let maxSize = limits.largestFile, let size = item.size, size > maxSize {
            return "The \(what) takes files of \(maxSize) bytes at most."
        }
        if item.type == .symbolicLink, !hasLinks[side] { return "The \(what) has no symbolic links." }
        if item.type == .symbolicLink, !takesAllLinks, let text = item.tag, Self.leadsOut(text, from: difference.path) {
            return "The link leads to “\(text)”, which is or may be outside the folder."
        }
        let twins = difference.twins.filter { !limits.tells($0.path, from: difference.path) }
        if let twin = twins.first(where: { keeps($0, from: difference, on: side) }) {
            return "The \(what) does not tell this name from “\(twin.path.name)”."
        }
        return nil
    }

    /// Whether a link at `path` is absolute, climbs above the folder, or may do so by way of another link.
    static func leadsOut(_ text: String, from path: ProviderPath) -> Bool {
        if text.utf8.first == UInt8(ascii: "/") { return true }
        let names = text.utf8.split(separator: UInt8(ascii: "/")).filter { !$0.elementsEqual(".".utf8) }
        let ups = names.prefix { $0.elementsEqual("..".utf8) }
        // What a name before ".." leads to is only known where it is followed.
        return ups.count >= path.components.count || names.dropFirst(ups.count).contains { $0.elementsEqual("..".utf8) }
    }

    /// Whether of two names that are one on `side`, the first stays or comes there, and not the second.
    private func keeps(_ twin: SyncDifference, from difference: SyncDifference, on side: SyncSide) -> Bool {
        if difference.item(on: side) != nil { return false }
        switch decide(twin) {
        case .forget, .remove(on: side, keepsOld: _): return false
        case .transfer(to: side, keepsOld: _) where twin.item(on: side) == nil:
            // A folder that goes, unless something in it stays, has no claim to its name.
            if case .remove(on: side.other, keepsOld: _) = decide(difference) { return true }
            // Both come: the one that both sides had, else the first.
            if (twin.agreed == nil) != (difference.agreed == nil) { return twin.agreed != nil }
            return twin.path < difference.path
        // A folder that the source has renamed takes its new name along.
        case .leave
        where twin.agreed != nil && twin.item(on: side)?.type == .directory
            && difference.item(on: side.other)?.type == .directory:
            return false
        case .leave where makesWay(twin, for: difference): return false
        default: return twin.item(on: side) != nil
        }
    }
}
