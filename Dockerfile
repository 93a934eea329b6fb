# One base image builds and runs the service.
ARG NODE_IMAGE=node:24-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /build
# first the manifests, so that a change of the sources keeps the cached dependencies
COPY package.json pnpm-lock.yaml pnpm-workspace.yaml ./
COPY domain/package.json domain/
COPY application/package.json application/
COPY adapters-http/package.json adapters-http/
COPY adapters-memory/package.json adapters-memory/
COPY adapters-mongo/package.json adapters-mongo/
COPY test/package.json test/
COPY apps/package.json apps/preflight.cjs apps/
RUN node apps/preflight.cjs apps --install-only
COPY . .
RUN node apps/preflight.cjs --bundle /app

FROM ${NODE_IMAGE}
ARG REVISION=unknown
LABEL org.opencontainers.image.title="Snippets" \
      org.opencontainers.image.description="A JSON-over-HTTP API that stores and manages code snippets" \
      org.opencontainers.image.version="1.0.0" \
      org.opencontainers.image.revision="${REVISION}" \
      org.opencontainers.image.licenses="MIT"
# 0.0.0.0: other containers and probes reach the service by the address of the container
ENV NODE_ENV=production HOST=0.0.0.0 ADMIN_HOST=0.0.0.0 ADMIN_PORT=8001
WORKDIR /app
# for DATA_DIR=/data: a new volume copies owner and mode of this folder
RUN install -d -o node -g node -m 700 /data
COPY --from=build /app .
USER node
EXPOSE 8000 8001
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.ADMIN_PORT}/livez`).then(r => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "--enable-source-maps", "dist/commands/main.js"]
