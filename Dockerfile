# syntax=docker/dockerfile:1

# The server's image: only `svc` and its libraries. It needs a database (DATABASE_URL).
#   docker build -t svc . && docker run --rm -e DATABASE_URL=postgres://… -p 127.0.0.1:8080:8080 svc

# A tag can be moved, a digest cannot. `docker buildx imagetools inspect TAG` shows a newer one.
FROM rust:1.95-slim-bookworm@sha256:d7482085ff5b415f84dba5647ae71606650bdef00db7aeb69f4b3d170c3e4082 AS chef
ARG CARGO_CHEF_VERSION=0.1.78
RUN cargo install cargo-chef --locked --version ${CARGO_CHEF_VERSION}
WORKDIR /src

# The list of dependencies, without our own sources.
FROM chef AS plan
COPY . .
RUN cargo chef prepare --recipe-path recipe.json

# The dependencies are built again only when the recipe changes.
FROM chef AS build
ARG FEATURES=otlp
COPY --from=plan /src/recipe.json recipe.json
RUN cargo chef cook --release --locked --package bin-axum --features "${FEATURES}" --recipe-path recipe.json
COPY . .
RUN cargo build --release --locked --package bin-axum --bin svc --features "${FEATURES}"
RUN .ci/licences >LIBRARIES

FROM gcr.io/distroless/cc-debian12:nonroot@sha256:9dac0a79194e45a7da0158a9c6da57b217585af0786db3845d1f0ec1a0dd182f
ARG VERSION=0.1.0
ARG REVISION=unknown
LABEL org.opencontainers.image.title="svc" \
      org.opencontainers.image.description="A business (ERP/CRM) HTTP API on PostgreSQL" \
      org.opencontainers.image.licenses="MIT OR Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"
COPY --from=build /src/target/release/svc /usr/local/bin/svc
COPY LICENSE THIRD-PARTY /usr/share/doc/svc/
COPY --from=build /src/LIBRARIES /usr/share/doc/svc/
# Numeric, so that an orchestrator can tell that it is not root.
USER 65532:65532
# PORT listens on all addresses; SVC_LISTEN overrides it. The healthcheck asks the same port on loopback.
ENV PORT=8080 SVC_LOG_FORMAT=json
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=6s --start-period=30s CMD ["/usr/local/bin/svc", "healthcheck"]
ENTRYPOINT ["/usr/local/bin/svc"]
CMD ["serve"]
