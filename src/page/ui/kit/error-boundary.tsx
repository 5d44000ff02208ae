// A pane that breaks says so in its own place; the others go on.
import { Component, type ReactNode } from "react";

export class ErrorBoundary extends Component<
  { readonly what: string; readonly children: ReactNode },
  { readonly error: Error | null }
> {
  override state: { readonly error: Error | null } = { error: null };

  static getDerivedStateFromError(error: Error): { readonly error: Error } {
    return { error };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === null) return this.props.children;
    return (
      <div className="bd note" role="alert">
        <p>
          <b>{this.props.what} broke.</b> The rest of the page works.{" "}
          <button type="button" className="fix" onClick={() => this.setState({ error: null })}>
            Show it again
          </button>
        </p>
        <pre className="repro">{error.message}</pre>
      </div>
    );
  }
}
