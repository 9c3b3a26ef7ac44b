import FileProviderCore

/// The rules for a pair of folders, and the decision for one path. They use no listing, clock or database.
struct SyncRules: Sendable {
    var direction: SyncOptions.Direction
    var deletes: Bool
    var comparesContent: Bool
    /// Whether nothing was ever agreed on.
    var isFirst: Bool
    /// Whether the last run was a mirror: it may have left items at the destination that the source had removed.
    var followsMirror = false
    var capabilities: Sides<Capabilities>
    var hasLinks: Sides<Bool>
    /// Whether links are synced that lead out of the folder, or may.
    var takesAllLinks = false

    /// The decision for one path.
    enum Decision: Equatable {
        case nothing
        /// Leave the item alone; the state has no record of it.
        case leave
        case agree
        case forget
        case transfer(to: SyncSide, keepsOld: Bool)
        /// Remove the item. If the other side has one of another type, the next pass creates it.
        case remove(on: SyncSide, keepsOld: Bool)
        case conflict(renamed: SyncSide)
        case skip(String)
        /// The file on this side is not the one that was written; it is left to the next run.
        case unkept(SyncSide)
    }

    /// Returns the decision for `difference`. Folders to be removed are decided before their content is known.
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

    /// Decides about an item that only `side` has in two-way sync: a change wins over a removal.
    private func alone(_ side: SyncSide, _ difference: SyncDifference) -> Decision {
        let stays = difference.isChanged(on: side) || isFirst || followsMirror && side == .destination
        return stays ? .transfer(to: side.other, keepsOld: false) : .remove(on: side, keepsOld: false)
    }

    /// Decides about an item that only a mirror's destination has.
    private func surplus(_ difference: SyncDifference) -> Decision {
        let isOwn = difference.isChanged(on: .destination)
        if deletes, !isFirst { return .remove(on: .destination, keepsOld: isOwn) }
        // Both names can't coexist: the old one makes way for the name that the source now uses.
        return difference.twins.contains { makesWay(difference, for: $0) }
            ? .remove(on: .destination, keepsOld: true) : .leave
    }

    /// Whether a mirror's destination has a file under a name that it doesn't distinguish from the source's new name.
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
                return .skip("The destination has a folder with this name, and this run removes nothing there.")
            }
            // Without `deletes`, the destination may have the only copy.
            return .remove(on: .destination, keepsOld: !deletes || isFirst || difference.isChanged(on: .destination))
        }
        if difference.agreed != nil, !isFirst {
            // An item that a mirror left there may be the only copy, too.
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
            // They could not be compared; the comparison reported why.
            if isSame == nil, source.size == destination.size { return .nothing }
            return .conflict(renamed: .destination)
        }
    }

    /// Whether contents must be compared before a decision is possible.
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

    /// Whether two files in a pair's first run count as the same, by size and by time at the coarser precision of the
    /// two.
    private func looksSame(_ source: SyncItem, destination: SyncItem, difference: SyncDifference) -> Bool {
        guard isFirst, difference.agreed == nil, !comparesContent, let size = source.size, size == destination.size
        else { return false }
        guard let one = source.time, let other = destination.time else { return false }
        // If a storage doesn't state the precision of its times, they prove nothing.
        guard let step = capabilities.source.timePrecision, let otherStep = capabilities.destination.timePrecision
        else { return false }
        return Double(SyncItem.gap(one, other)) < max(1, max(step, otherStep) * 1e6)
    }

    /// Returns a sentence saying why `side` can't hold an item, or `nil` if it can, as far as is known.
    func refusal(of item: SyncItem, at difference: SyncDifference, on side: SyncSide) -> String? {
        let limits = capabilities[side]
        let name = difference.path.nameBytes
        let what = side == .source ? "source" : "destination"
        if let maxLength = limits.longestName, name.count > maxLength {
            return "The \(what) limits names to \(maxLength) bytes."
        }
        if !limits.has(.rawNames), String(validating: name, as: UTF8.self) == nil {
            return "The \(what) accepts only names in UTF-8."
        }
        if let maxSize = limits.largestFile, let size = item.size, size > maxSize {
            return "The \(what) limits files to \(maxSize) bytes."
        }
        if item.type == .symbolicLink, !hasLinks[side] { return "The \(what) doesn't support symbolic links." }
        if item.type == .symbolicLink, !takesAllLinks, let text = item.tag, Self.leadsOut(text, from: difference.path) {
            return "The link points to “\(text)”, which is or may be outside the folder."
        }
        let twins = difference.twins.filter { !limits.tells($0.path, from: difference.path) }
        if let twin = twins.first(where: { keeps($0, from: difference, on: side) }) {
            return "The \(what) can't hold both this name and “\(twin.path.name)”."
        }
        return nil
    }

    /// Whether a link at `path` is absolute, climbs above the folder, or may do so by way of another link.
    static func leadsOut(_ text: String, from path: ProviderPath) -> Bool {
        if text.utf8.first == UInt8(ascii: "/") { return true }
        let names = text.utf8.split(separator: UInt8(ascii: "/")).filter { !$0.elementsEqual(".".utf8) }
        let ups = names.prefix { $0.elementsEqual("..".utf8) }
        // What a name before ".." points to is only known once it is followed.
        return ups.count >= path.components.count || names.dropFirst(ups.count).contains { $0.elementsEqual("..".utf8) }
    }

    /// Whether, of two names that are the same on `side`, the first stays or arrives there and the second doesn't.
    private func keeps(_ twin: SyncDifference, from difference: SyncDifference, on side: SyncSide) -> Bool {
        if difference.item(on: side) != nil { return false }
        switch decide(twin) {
        case .forget, .remove(on: side, keepsOld: _): return false
        case .transfer(to: side, keepsOld: _) where twin.item(on: side) == nil:
            // A folder that is removed unless something in it stays has no claim to its name.
            if case .remove(on: side.other, keepsOld: _) = decide(difference) { return true }
            // Both arrive: the one that both sides had wins, else the first.
            if (twin.agreed == nil) != (difference.agreed == nil) { return twin.agreed != nil }
            return twin.path < difference.path
        // A folder that the source renamed takes on its new name.
        case .leave
        where twin.agreed != nil && twin.item(on: side)?.type == .directory
            && difference.item(on: side.other)?.type == .directory:
            return false
        case .leave where makesWay(twin, for: difference): return false
        default: return twin.item(on: side) != nil
        }
    }
}
