import { Component, type ReactNode } from "react";
import { Button } from "./button.tsx";

export interface ErrorBoundaryProps {
  readonly children: ReactNode;
  /** A change of this value retries the rendering. */
  readonly of?: unknown;
}

interface ErrorBoundaryState {
  readonly of: unknown;
  readonly failure: string | null;
}

/** Shows an error in place of a child that throws or fails to load, so that the rest of the page stays. */
export class ErrorBoundary extends Component<ErrorBoundaryProps, ErrorBoundaryState> {
  override readonly state: ErrorBoundaryState = { of: this.props.of, failure: null };

  static getDerivedStateFromError(error: unknown): Partial<ErrorBoundaryState> {
    return { failure: error instanceof Error ? error.message : String(error) };
  }

  static getDerivedStateFromProps(
    { of }: ErrorBoundaryProps,
    before: ErrorBoundaryState,
  ): ErrorBoundaryState | null {
    return of === before.of ? null : { of, failure: null };
  }

  override render(): ReactNode {
    const { failure } = this.state;
    if (failure === null) return this.props.children;
    return (
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2 rounded-card bg-bad-soft px-3 py-2 text-sm">
        <p className="min-w-0 grow basis-60 [overflow-wrap:anywhere]">
          <span className="font-medium text-bad">This can't be shown. </span>
          {failure}
        </p>
        <Button onClick={() => location.reload()}>Reload the page</Button>
      </div>
    );
  }
}
