# One base image builds and runs the service.
ARG NODE_IMAGE=node:24-slim

# the files that decide which dependencies are installed
FROM ${NODE_IMAGE} AS manifests
WORKDIR /manifests
COPY . .
RUN find . -type f ! -name 'package.json' ! -name 'pnpm-*.yaml' ! -name '*.patch' ! -name 'preflight.cjs' -delete

FROM ${NODE_IMAGE} AS build
WORKDIR /build
# a change of the sources keeps the installed dependencies cached
COPY --from=manifests /manifests .
RUN node apps/preflight.cjs apps --install-only
COPY . .
RUN node apps/preflight.cjs --bundle /app

FROM ${NODE_IMAGE}
LABEL org.opencontainers.image.title="Snippets" \
      org.opencontainers.image.description="A JSON-over-HTTP API that stores and manages code snippets" \
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
