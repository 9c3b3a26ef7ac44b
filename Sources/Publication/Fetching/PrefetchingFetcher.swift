/// A fetcher that can load several resources ahead, so that reading them one by one costs no further requests.
package protocol PrefetchingFetcher: Fetcher {
    /// Reads the resources at `hrefs` ahead if that pays. A hint: it only makes later reads faster.
    ///
    /// - Parameter hrefs: As ``Fetcher/links()`` returns them; unknown ones are ignored.
    /// - Complexity: As few requests as the medium allows, one if the resources lie close together.
    func prefetch(hrefs: [String]) async throws
}
