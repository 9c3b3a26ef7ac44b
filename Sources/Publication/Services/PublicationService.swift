import FileProviderCore
import Foundation

/// A part of a publication that answers more than its files do, such as the positions in it or a search
/// (`PublicationService` of Readium).
///
/// Services are made by factories in ``PublicationServices`` when they are first asked for, one for each publication,
/// and closed with it.
public protocol PublicationService: AnyObject, Sendable {
    /// The links that the service answers, with addresses under `~readium/`; see ``PublicationServices``.
    var links: [Link] { get }

    /// The answer to `link`; nil where the service does not answer it. Nothing is read yet.
    ///
    /// - Parameter parameters: The values for a templated link, not percent-encoded.
    func get(_ link: Link, parameters: [String: String]) -> (any Resource)?

    /// Gives back what the service holds.
    func close() async
}

extension PublicationService {
    /// None.
    public var links: [Link] { [] }

    /// Answers nothing.
    public func get(_ link: Link, parameters: [String: String]) -> (any Resource)? { nil }

    /// Does nothing, for services that hold nothing.
    public func close() async {}
}

/// What a service is made for.
public struct PublicationServiceContext: Sendable {
    /// The publication's manifest.
    public let manifest: Manifest
    /// What the publication's resources come from. It belongs to the publication.
    public let fetcher: any Fetcher
    private let reference: PublicationReference

    init(_ publication: Publication, fetcher: any Fetcher) {
        manifest = publication.manifest
        self.fetcher = fetcher
        reference = PublicationReference(publication)
    }

    /// The publication, for services that use others. A service must not keep it: it would keep itself.
    ///
    /// - Throws: `URLError(.resourceUnavailable)` when the publication is gone.
    public func publication() throws -> Publication {
        guard let publication = reference.publication else { throw FileError.closedPublication("") }
        return publication
    }
}

/// Refers to a publication without keeping it alive.
///
/// Unchecked, because a weak reference has to be a variable. It is set once, and the runtime makes reading it safe while the
/// last strong reference goes.
private final class PublicationReference: Sendable {
    private nonisolated(unsafe) weak var reference: Publication?

    init(_ publication: Publication) { reference = publication }

    var publication: Publication? { reference }
}

/// What kind of service is meant, and which protocol it has.
public struct PublicationServiceKey<Service: Sendable>: Hashable, Sendable {
    /// What the kind is called; one name, one protocol.
    public let name: String

    /// A kind of service, such as one of an app's own.
    public init(_ name: String) { self.name = name }
}

/// The factories of a publication's services. They are kept, so that a copy of the publication makes its own.
///
/// ```swift
/// options.services = { services in
///     services.set(.search) { context in IndexedSearch(context) }
///     services.remove(.cover)
/// }
/// ```
public struct PublicationServices: Sendable {
    /// Makes a service; nil where the publication has none of this kind.
    public typealias Factory<Service> = @Sendable (PublicationServiceContext) -> Service?

    private var factories: [(name: String, make: @Sendable (PublicationServiceContext) -> (any Sendable)?)] = []

    /// No service.
    public init() {}

    /// The kinds that have a factory, in the order in which requests are offered to them.
    public var names: [String] { factories.map(\.name) }

    /// Has services of the kind `key` made by `factory`, instead of by another one.
    public mutating func set<Service>(_ key: PublicationServiceKey<Service>, _ factory: @escaping Factory<Service>) {
        let made: @Sendable (PublicationServiceContext) -> (any Sendable)? = { factory($0) }
        if let index = factories.firstIndex(where: { $0.name == key.name }) {
            factories[index].make = made
        } else {
            factories.append((key.name, made))
        }
    }

    /// Leaves services of the kind `key` out.
    public mutating func remove<Service>(_ key: PublicationServiceKey<Service>) {
        factories.removeAll { $0.name == key.name }
    }

    /// Puts something in front of the services of the kind `key`; does nothing where there is no factory for them.
    ///
    /// - Parameter transform: Gets the service that there would be, and returns the one to use.
    public mutating func decorate<Service>(
        _ key: PublicationServiceKey<Service>,
        _ transform: @escaping @Sendable (Service, PublicationServiceContext) -> Service?
    ) {
        guard let factory = factory(key) else { return }
        set(key) { context in factory(context).flatMap { transform($0, context) } }
    }

    private func factory<Service>(_ key: PublicationServiceKey<Service>) -> Factory<Service>? {
        guard let make = factories.first(where: { $0.name == key.name })?.make else { return nil }
        return { make($0) as? Service }
    }

    func make(_ name: String, _ context: PublicationServiceContext) -> (any Sendable)? {
        factories.first { $0.name == name }?.make(context)
    }
}

/// The services of one publication, each made once.
final class ServiceTable: Sendable {
    private enum Slot {
        case made((any Sendable)?)
        case closed

        var service: (any Sendable)? { if case .made(let service) = self { service } else { nil } }
    }

    let services: PublicationServices
    private let slots = LockedValue<[String: Slot]>([:])

    init(_ services: PublicationServices) { self.services = services }

    func service<Service>(_ key: PublicationServiceKey<Service>, _ context: () -> PublicationServiceContext) -> Service?
    {
        service(named: key.name, context) as? Service
    }

    /// Two who ask at once may both make it; the first one made is used.
    func service(named name: String, _ context: () -> PublicationServiceContext) -> (any Sendable)? {
        if let slot = slots.value[name] { return slot.service }
        let made = services.make(name, context())
        return slots.update { slots in
            if let slot = slots[name] { return slot.service }
            slots[name] = .made(made)
            return made
        }
    }

    /// Closes the services that were made; no other one is made from now on.
    func close() async {
        let made = slots.update { slots in
            let made = slots.values.compactMap { $0.service as? any PublicationService }
            for name in services.names { slots[name] = .closed }
            return made
        }
        for service in made { await service.close() }
    }
}

extension Publication {
    /// The service of the kind `key`; nil where the publication has none.
    public func service<Service>(_ key: PublicationServiceKey<Service>) -> Service? {
        serviceTable.service(key) { serviceContext }
    }

    /// The links that the services answer, beside those of the manifest.
    public var serviceLinks: [Link] { allServices.flatMap(\.links) }

    var allServices: [any PublicationService] {
        serviceTable.services.names.compactMap {
            serviceTable.service(named: $0) { serviceContext } as? any PublicationService
        }
    }

    /// The first service's answer to `link`; nil if no service answers it, even if the book has a file there.
    package func answer(_ link: Link, parameters: [String: String]) -> (any Resource)? {
        guard link.href.hasPrefix(ServiceHREF.prefix) || link.href.hasPrefix("/" + ServiceHREF.prefix) else {
            return nil
        }
        for service in allServices { if let answer = service.get(link, parameters: parameters) { return answer } }
        return nil
    }
}

/// Addresses under which services answer.
package enum ServiceHREF {
    package static let prefix = "~readium/"

    /// Whether `href`, without its query and a slash in front, is `wanted`.
    package static func matches(_ href: String, _ wanted: String) -> Bool {
        let path = HREFBase.resource(of: href.hasPrefix("/") ? String(href.dropFirst()) : href)
        return path == wanted || path.hasPrefix(wanted + "{")
    }

    /// The values in the query of `href` (`application/x-www-form-urlencoded` without `+` for spaces is taken too).
    package static func query(_ href: String) -> [String: String] {
        guard let start = href.firstIndex(of: "?") else { return [:] }
        var values: [String: String] = [:]
        for pair in href[href.index(after: start)...].prefix(while: { $0 != "#" }).split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map {
                let text = $0.replacing("+", with: " ")
                return String(text).removingPercentEncoding ?? String(text)
            }
            if values[parts[0]] == nil { values[parts[0]] = parts.count > 1 ? parts[1] : "" }
        }
        return values
    }
}
