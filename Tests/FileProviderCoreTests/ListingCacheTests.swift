import FileProviderCore
import Foundation
import Testing

@Suite struct ListingCacheTests {
    private func items(_ folder: String, _ names: String...) throws -> [FileObject] {
        try names.map { FileObject(path: try ProviderPath(folder).appending($0), type: .regular) }
    }

    @Test func `what was listed is known, with the items in it, until it is dropped`() throws {
        let cache = ListingCache(policy: CachePolicy(lifetime: 60))
        let (a, b) = (try ProviderPath("/a"), try ProviderPath("/a/b"))
        cache.keep(try items("/a", "b", "c"), of: a, since: cache.now)
        cache.keep(try items("/a/b", "d"), of: b, since: cache.now)
        #expect(cache.contents(of: a)?.map(\.name) == ["b", "c"] && cache.item(at: b)?.name == "b")
        #expect(cache.item(at: a) == nil && cache.contents(of: .root) == nil)
        cache.drop(try ProviderPath("/a/c"))
        #expect(cache.contents(of: a) == nil && cache.item(at: b) == nil && cache.contents(of: b)?.map(\.name) == ["d"])
        cache.drop(a)
        #expect(cache.contents(of: b) == nil)
    }

    @Test func `an answer that was asked for before a change is not kept`() throws {
        let cache = ListingCache(policy: CachePolicy(lifetime: 60))
        let moment = cache.now
        cache.drop(try ProviderPath("/x"))
        cache.keep(try items("/a", "b"), of: try ProviderPath("/a"), since: moment)
        let a = try ProviderPath("/a")
        #expect(cache.contents(of: a) == nil)
    }

    @Test func `nothing is kept by default, for longer than allowed, or beyond the bound`() throws {
        let a = try ProviderPath("/a")
        for policy in [CachePolicy.none, CachePolicy(lifetime: 60, maxItems: 1), CachePolicy(lifetime: 1e-9)] {
            let cache = ListingCache(policy: policy)
            cache.keep(try items("/a", "b", "c"), of: a, since: cache.now)
            #expect(cache.contents(of: a) == nil)
        }
        let cache = ListingCache(policy: CachePolicy(lifetime: 60, maxItems: 3))
        cache.keep(try items("/a", "b", "c"), of: a, since: cache.now)
        cache.keep(try items("/d", "b", "c"), of: try ProviderPath("/d"), since: cache.now)
        let d = try ProviderPath("/d")
        #expect(cache.contents(of: a) == nil && cache.contents(of: d)?.count == 2)
    }
}
