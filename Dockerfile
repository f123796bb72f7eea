# syntax=docker/dockerfile:1
# docker build -t otus . && docker run --rm -v "$PWD:/work" otus analyze flow.mmd logs/

FROM rust:1.95-slim-bookworm AS build
WORKDIR /otus
COPY . .
RUN cargo install --locked --path crates/otus-cli --root /out \
    && mkdir -p /out/share/bash-completion/completions /out/share/doc/otus \
    && /out/bin/otus man --dir /out/share/man/man1 \
    && /out/bin/otus completions bash >/out/share/bash-completion/completions/otus \
    && cp LICENSE-APACHE LICENSE-MIT README.md /out/share/doc/otus/ \
    && rm -f /out/.crates.toml /out/.crates2.json

# The image has a shell, because CI servers need one.
FROM debian:bookworm-slim
LABEL org.opencontainers.image.title="Otus" \
      org.opencontainers.image.description="Checks the logs of a distributed system against its sequence diagrams" \
      org.opencontainers.image.licenses="MIT OR Apache-2.0"
COPY --from=build /out/ /usr/local/
WORKDIR /work
ENTRYPOINT ["otus"]
CMD ["--help"]
