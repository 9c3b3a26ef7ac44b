#if Serving
    public import ServiceLifecycle

    extension PublicationServer: Service {
        /// Listens and answers until the task is cancelled, or its service group shuts down gracefully: then what is being
        /// sent goes on to its end.
        ///
        /// A client that takes nothing of an answer, or sends no request, for ``/WebServer/ServerLimits/idleTime`` is
        /// disconnected. Neither takes a thread.
        ///
        /// - Throws: `URLError(.cannotConnectToHost)` if the address cannot be had, over `POSIXError`.
        public func run() async throws { try await listener.run { await self.respond(to: $0) } }
    }
#else
    extension PublicationServer {
        /// Listens and answers; needs the package trait `Serving`.
        ///
        /// - Throws: ``/FileProviderCore/MissingTrait``, always: this build lacks the trait.
        public func run() async throws { try await listener.run { await self.respond(to: $0) } }
    }
#endif
