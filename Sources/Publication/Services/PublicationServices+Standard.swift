extension PublicationServices {
    /// The services that every publication has: each answers nothing where the publication does not have its subject.
    public static let standard: PublicationServices = {
        var services = PublicationServices()
        services.set(.positions) { ManifestPositions($0) }
        services.set(.locator) { StandardLocators($0) }
        services.set(.content) { ResourceContent($0) }
        services.set(.search) { ContentSearch($0) }
        services.set(.cover) { ManifestCover($0) }
        services.set(.guidedNavigation) { OverlayNavigation($0) }
        return services
    }()
}
