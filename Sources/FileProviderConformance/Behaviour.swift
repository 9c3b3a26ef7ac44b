public import FileProviderCore

/// One promise of the contracts and the test for it. All behaviours are data: see ``all``.
public struct Behaviour: Sendable {
    /// A condition for a behaviour to be tried on a provider.
    public enum Requirement: Sendable, Hashable {
        /// The ability is native or derived.
        case ability(Capabilities.Ability)
        /// The ability is native.
        case native(Capabilities.Ability)
        /// Whether a write creates the folders of its path, as `Capabilities.makesParentFolders` says.
        case makingParents(Bool)
        /// The ability is declared unavailable: the behaviour checks how the operation fails.
        case unavailable(Capabilities.Ability)
        /// `a` and `A` are two files.
        case caseSensitivity
        /// Names may have this many bytes.
        case nameLength(Int)
        /// ``Conformance/connect`` was given.
        case connection
    }

    /// The subject of a behaviour.
    public enum Group: String, Sendable, Hashable, Codable, CaseIterable {
        /// The declared capabilities, and failures of unavailable operations.
        case capabilities
        /// Listings and attributes.
        case listing
        /// Creating folders.
        case folders
        /// Files of every length at which a buffer may end, from each kind of source.
        case sizes
        /// Writing a file, and refused writes.
        case writing
        /// Sources: with pauses, without a known length, failing on the way.
        case sources
        /// Writing to a taken name: overwriting, conditional writes, concurrent writers.
        case replacing
        /// Adding bytes at the end of a file.
        case appending
        /// Parts of files, to the byte.
        case ranges
        /// A reader's attributes, and many reads of one reader.
        case reading
        /// Sinks: slow, failing, cancelled.
        case sinks
        /// Long and hostile names.
        case names
        /// Moving and renaming.
        case moving
        /// Copies within the provider.
        case copying
        /// Removing files and folders.
        case removing
        /// The forms with a completion handler.
        case completion
        /// Operations with a handler that are cancelled: they end once, done or undone.
        case cancellation
        /// Delegates that forbid an operation.
        case delegates
        /// The `Progress` of an operation.
        case progress
        /// Many tasks at once.
        case concurrency
        /// The right error for each failure.
        case errors
        /// The run itself: the kit's own folder.
        case run
    }

    /// A sentence that says what holds; unique among all behaviours.
    public let name: String
    /// The subject, set by ``all``.
    public private(set) var group = Group.run
    /// The conditions without which the behaviour is skipped.
    public let requirements: [Requirement]
    /// Whether it works in a fresh folder; otherwise it works in the folder given to the kit, and changes nothing.
    public let needsFolder: Bool
    let body: @Sendable (Trial) async throws -> Void

    /// A behaviour that works in a fresh folder.
    init(_ name: String, _ requirements: Requirement..., body: @escaping @Sendable (Trial) async throws -> Void) {
        self.init(name, requirements, body: body)
    }

    /// A behaviour that works in a fresh folder.
    init(_ name: String, _ requirements: [Requirement], body: @escaping @Sendable (Trial) async throws -> Void) {
        self.name = name
        self.requirements = requirements
        needsFolder = true
        self.body = body
    }

    /// A behaviour that changes nothing, in an existing folder.
    init(
        lookingOnly name: String, _ requirements: Requirement..., body: @escaping @Sendable (Trial) async throws -> Void
    ) {
        self.name = name
        self.requirements = requirements
        needsFolder = false
        self.body = body
    }

    /// Group and sentence, as in `names: A name of 200 bytes is kept`: the same in every run, and from version to
    /// version.
    public var id: String { Self.id(group, name) }

    static func id(_ group: Group, _ name: String) -> String { "\(group.rawValue): \(name)" }

    /// All behaviours, in the order of a run.
    public static let all: [Behaviour] = [
        (Group.capabilities, capabilities), (.listing, listing + leavingOut), (.folders, folders), (.sizes, sizes),
        (.writing, writing + makingParents + arriving), (.sources, sources),
        (.replacing, replacing), (.appending, appending), (.ranges, parts + boundaries), (.reading, reading),
        (.sinks, sinks),
        (.names, names + nameRules), (.moving, moving + movingOnto),
        (.copying, copying + copyingOnto + copyingAtomically),
        (.removing, removing),
        (.completion, completion + completionEndings), (.cancellation, cancellation), (.delegates, vetoes),
        (.progress, progress),
        (.concurrency, concurrency + fiftyTasks), (.errors, errors + missing),
    ].flatMap { group, behaviours in
        behaviours.map { behaviour in
            var behaviour = behaviour
            behaviour.group = group
            return behaviour
        }
    }

    /// Returns why the behaviour is skipped on a provider with these capabilities; nil if it is tried.
    func reasonToSkip(_ capabilities: Capabilities, hasConnect: Bool, hasFolder: Bool) -> String? {
        for requirement in requirements {
            if let reason = requirement.reasonToSkip(capabilities, hasConnect: hasConnect) { return reason }
        }
        guard needsFolder, !hasFolder else { return nil }
        let lacking: [Capabilities.Ability] = [.folderCreation, .removal].filter { !capabilities.has($0) }
        return lacking.first.map { "needs \($0.rawValue)" } ?? "the kit's own folder could not be made"
    }
}

extension Behaviour.Requirement {
    func reasonToSkip(_ capabilities: Capabilities, hasConnect: Bool) -> String? {
        switch self {
        case .ability(let ability): capabilities.has(ability) ? nil : "needs \(ability.rawValue)"
        case .native(let ability): capabilities[ability] == .native ? nil : "needs \(ability.rawValue) natively"
        case .unavailable(let ability): capabilities.has(ability) ? "\(ability.rawValue) is available" : nil
        case .makingParents(let wanted):
            capabilities.makesParentFolders == wanted
                ? nil : wanted ? "needs a storage whose writes make folders" : "writing makes folders"
        case .caseSensitivity: capabilities.isCaseSensitive ? nil : "needs names that differ by case"
        case .nameLength(let length):
            capabilities.longestName.map { $0 >= length } ?? true ? nil : "needs names of \(length) bytes"
        case .connection: hasConnect ? nil : "needs a way to connect once more"
        }
    }
}
