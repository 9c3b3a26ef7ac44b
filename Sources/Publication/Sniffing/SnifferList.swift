import FileProviderCore
import MediaTypes

/// An ordered list of sniffers that may change while others read it.
public final class SnifferList: Sendable {
    private let list: LockedValue<[MediaType.Sniffer]>

    /// A list of sniffers, asked in order; the first answer counts.
    public init(_ sniffers: [MediaType.Sniffer]) {
        list = LockedValue(sniffers)
    }

    /// The sniffers, in the order in which they are asked. Assigning replaces them all; ``add(_:)-(MediaType.Sniffer)``
    /// keeps those that others add at the same time.
    public var all: [MediaType.Sniffer] {
        get { list.value }
        set { list.update { $0 = newValue } }
    }

    /// Adds a sniffer, asked after the others.
    public func add(_ sniffer: @escaping MediaType.Sniffer) { list.update { $0.append(sniffer) } }

    /// Adds a sniffer of the first proposal's form, asked after the others.
    public func add(_ sniffer: @escaping Format.Sniffer) { add(Format.adapted(sniffer)) }

    /// Returns the sniffers of the list, followed by others.
    public static func + (list: SnifferList, others: [MediaType.Sniffer]) -> [MediaType.Sniffer] { list.all + others }

    /// Returns the sniffers of the list, followed by others of the first proposal's form.
    public static func + (list: SnifferList, others: [Format.Sniffer]) -> [MediaType.Sniffer] {
        list.all + others.map(Format.adapted)
    }
}
