/// A fetcher that can bring several resources closer at once, so that reading them one by one costs no more requests.
package protocol PrefetchingFetcher: Fetcher {
    /// Reads ahead what `hrefs` name, as far as it pays: a hint, whose result is only that later reads are fast.
    ///
    /// - Parameter hrefs: As ``Fetcher/links()`` gives them; those that name nothing are passed over.
    /// - Complexity: As few requests as the medium allows, one if the resources lie close together.
    func prefetch(hrefs: [String]) async throws
}
