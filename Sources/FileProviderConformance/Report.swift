extension Conformance {
    /// The result of a run of the kit. Every chosen behaviour is in exactly one of four lists.
    public struct Report: Sendable {
        /// A behaviour, and a sentence about its outcome.
        public struct Entry: Sendable, Hashable {
            /// The subject of the behaviour; ``Behaviour/Group/run`` for the kit's own folder and list.
            public let group: Behaviour.Group
            /// The behaviour's name.
            public let behaviour: String
            /// Of a violation, what was expected and what happened; of a skipped behaviour, the missing ability or
            /// another obstacle; of a known failure, its reason; of a refused name, the provider's error. Otherwise
            /// empty.
            public let sentence: String

            /// Group and name, as in ``Behaviour/id``.
            public var id: String { Behaviour.id(group, behaviour) }
        }

        /// The outcome of one behaviour.
        public enum Outcome: String, Sendable, Hashable {
            /// It was tried, and held.
            case passed
            /// It passed, by refusing a name that a storage may refuse.
            case refused
            /// It failed, or it held although it is on the list of known failures.
            case failed
            /// It failed, as the list of known failures says.
            case known
            /// It was not tried: an ability or the kit's own folder was missing.
            case skipped
        }

        /// The behaviours that held.
        public private(set) var passed: [Entry] = []
        /// The behaviours that failed, in the order of the run, and known failures that hold now.
        public private(set) var violations: [Entry] = []
        /// The behaviours that failed and are on the list of known failures.
        public private(set) var known: [Entry] = []
        /// The behaviours that were not tried, in the order of the run.
        public private(set) var skipped: [Entry] = []
        /// Those of ``passed`` in which a hostile name was refused rather than kept.
        public private(set) var refused: [Entry] = []
        /// Whether the run was given known failures.
        public let hasKnownList: Bool

        /// Whether there are no violations except known failures.
        public var isConforming: Bool { violations.isEmpty }

        init(hasKnownList: Bool = false) {
            self.hasKnownList = hasKnownList
        }

        /// Returns the outcome of the behaviour called `name`; nil if it was not chosen.
        public func outcome(of name: String) -> Outcome? {
            let lists: [(Outcome, [Entry])] = [
                (.refused, refused), (.failed, violations), (.known, known), (.skipped, skipped), (.passed, passed),
            ]
            return lists.first { $0.1.contains { $0.behaviour == name } }?.0
        }

        mutating func add(_ result: Result<Void, any Error>, of behaviour: String, in group: Behaviour.Group) {
            func entry(_ sentence: String) -> Entry {
                Entry(group: group, behaviour: behaviour, sentence: sentence.visible)
            }
            switch result {
            case .success: passed.append(entry(""))
            case .failure(let refusal as RefusedName):
                passed.append(entry(""))
                refused.append(entry(describe(refusal.error)))
            case .failure(let skip as SkippedBehaviour): skipped.append(entry(skip.reason))
            case .failure(let unmet as Unmet): violations.append(entry(unmet.sentence))
            case .failure(let error): violations.append(entry("Expected success, but it failed: \(describe(error))"))
            }
        }

        /// Moves known failures out of the violations, and adds violations for those that hold.
        mutating func judge(by list: [KnownFailure]) {
            for item in list {
                func isMeant(_ entry: Entry) -> Bool { item.behaviour == entry.behaviour || item.behaviour == entry.id }
                if let index = violations.firstIndex(where: { isMeant($0) && $0.sentence.contains(item.message ?? "") })
                {
                    let violation = violations.remove(at: index)
                    known.append(Entry(group: violation.group, behaviour: violation.behaviour, sentence: item.reason))
                } else if let index = passed.firstIndex(where: isMeant), !item.isOccasional {
                    let entry = passed.remove(at: index)
                    refused.removeAll { $0.id == entry.id }
                    violations.append(
                        Entry(
                            group: entry.group, behaviour: entry.behaviour,
                            sentence:
                                "Expected the known failure (\(item.reason)), but it holds now: take it off the list."))
                } else if !Conformance.isBehaviour(item.behaviour) {
                    violations.append(
                        Entry(
                            group: .run, behaviour: item.behaviour,
                            sentence:
                                "Expected a behaviour of the kit in the list of known failures, but there is none of this name."
                        ))
                }
            }
        }
    }
}
